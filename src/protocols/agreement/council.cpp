#include "protocols/agreement/council.hpp"

#include <algorithm>
#include <utility>

namespace allot::agreement {

namespace {

Forming::Self forming_self(const Council::Self& self) {
    const CouncilConfig& config = self.config;
    return {.host = self.host,
            .incarnation = self.incarnation,
            .hosts = self.hosts(),
            .list = config.voters,
            .rules = config.forming,
            .fresh_disk = self.fresh_disk,
            .view = config.view,
            .quiet = config.quiet,
            .may_found_alone = config.may_found_alone};
}

Recalling::Self recalling_self(const Council::Self& self) {
    return {.machine = self.host,
            .incarnation = self.incarnation,
            .machines = self.hosts(),
            .twin = std::nullopt,
            .recalling = {},
            .rules = {self.config.voting, self.config.sealing},
            .nacks = true,
            .fresh_disk = self.fresh_disk,
            .looks = self.config.looks,
            .rank_by_generation = self.config.succession.rank_by_generation,
            .settings = &self.settings};
}

}  // namespace

void Council::start(const Self& self, bool first, CouncilEffects& fx) {
    const bool formed = self.config.formed;
    const Record founders =
        formed ? agreement::founders(static_cast<std::uint32_t>(self.config.voters.size())) : Record{};
    recall(self, fx, [&](const Recalling::Self& inner, RecallingEffects& out) {
        recalling_.start(inner, founders, formed && first, out);
    });
    if (!formed)
        form(self, fx, [&](const Forming::Self& inner, FormingEffects& out) { forming_.start(inner, out); });
}

void Council::met(const Self& self, SiteId host, CouncilEffects& fx) {
    form(self, fx, [&](const Forming::Self& inner, FormingEffects& out) {
        if (!self.config.formed || self.config.succeeds) forming_.greet(inner, host, out);
    });
    if (self.config.succeeds)
        recall(self, fx, [&](const Recalling::Self& inner, RecallingEffects& out) {
            recalling_.tell_record(inner, host, out);
        });
    // An operation under way may wait for this voter, which has not been asked.
    const bool is_voter =
        std::ranges::find(inner().record().voters, host, &VoterId::host) != inner().record().voters.end();
    if (!is_voter || !inner().busy()) return;
    try_again(self, fx);
    unheard_ = std::max(1u, inner().attempts()) - 1;
}

Council Council::after_crash(Disk disk) const {
    Council next;
    next.forming_ = forming_.after_crash(disk);
    next.recalling_ = recalling_.after_crash(disk);
    return next;
}

void Council::begin(const Self& self, Operation kind, Change change, CouncilEffects& fx) {
    waited_ = 0;
    unheard_ = 0;
    recall(self, fx, [&](const Recalling::Self& inner, RecallingEffects& out) {
        recalling_.begin(inner, kind, std::move(change), out);
    });
}

void Council::receive(const Self& self, SiteId from, const CouncilMessage& message, CouncilEffects& fx) {
    std::visit([&](const auto& one) { handle(self, from, one, fx); }, message);
}

void Council::handle(const Self& self, SiteId from, const Hello& message, CouncilEffects& fx) {
    if (self.config.succeeds) disks_[from] = message.disk;
    form(self, fx, [&](const Forming::Self& inner, FormingEffects& out) {
        forming_.receive(inner, from, message, out);
    });
}

void Council::handle(const Self& self, SiteId from, const auto& message, CouncilEffects& fx) {
    recall(self, fx, [&](const Recalling::Self& inner, RecallingEffects& out) {
        recalling_.receive(inner, from, message, out);
    });
}

void Council::synced(const Self& self, CouncilEffects& fx) {
    form(self, fx, [&](const Forming::Self& inner, FormingEffects& out) { forming_.synced(inner, out); });
    recall(self, fx,
           [&](const Recalling::Self& inner, RecallingEffects& out) { recalling_.synced(inner, out); });
}

void Council::tick(const Self& self, CouncilEffects& fx) {
    if (recalling_.awaits_ranks()) {
        if (++asking_ >= self.config.patience) recalling_.make_do(recalling_self(self));
        if (asking_ % self.config.retry_after == 0)
            recall(self, fx,
                   [&](const Recalling::Self& inner, RecallingEffects& out) { recalling_.ask(inner, out); });
    }
    if (inner().busy() && self.config.try_again && ++waited_ >= pause(self)) try_again(self, fx);
}

void Council::try_again(const Self& self, CouncilEffects& fx) {
    waited_ = 0;
    recall(self, fx,
           [&](const Recalling::Self& inner, RecallingEffects& out) { recalling_.retry(inner, out); });
}

// Hosts that have refused each other must not try together again: the pauses grow, and differ by host. One
// that was refused need not wait for answers.
std::uint32_t Council::pause(const Self& self) const {
    const std::uint32_t attempts = std::min(inner().attempts() - std::min(unheard_, inner().attempts()), 4u);
    const std::uint32_t most = std::min(self.config.spread, self.config.rest * ((1u << attempts) - 1));
    constexpr std::uint32_t golden = 0x9e3779b9;
    const std::uint32_t mixed = (self.host + self.incarnation + inner().attempts()) * golden >> 16;
    return (inner().is_resting() ? self.config.rest : self.config.retry_after) + mixed % (most + 1);
}

std::vector<SiteId> Council::unformed(const Self& self) const {
    return self.config.formed ? std::vector<SiteId>() : forming_.awaited(forming_self(self));
}

bool Council::awaits_operator(const Self& self) const {
    return !self.config.formed && forming_.awaits_operator(forming_self(self));
}

template <class Action>
void Council::form(const Self& self, CouncilEffects& fx, Action&& action) {
    FormingEffects out;
    action(forming_self(self), out);
    for (FormingEffects::Send& send : out.sends) fx.sends.push_back({send.to, std::move(send.message)});
    fx.persist |= out.persist;
    use_record(self, fx);
}

// A voter writes its papers and its first vote at once, so no disk has the one without the other. Voters of
// later generations are formatted by the one that sealed the last.
void Council::use_record(const Self& self, CouncilEffects& fx) {
    const Papers& papers = forming_.papers();
    const std::optional<Record>& used = papers.stage == Stage::active ? papers.used : forming_.used();
    if (!used || used->generation <= inner().record().generation) return;
    if (papers.stage != Stage::active || !used->is_first()) return recalling_.use(*used, papers.sealed);
    recall(self, fx,
           [&](const Recalling::Self& inner, RecallingEffects& out) { recalling_.found(inner, *used, out); });
}

template <class Action>
void Council::recall(const Self& self, CouncilEffects& fx, Action&& action) {
    RecallingEffects out;
    const std::uint32_t generation = inner().record().generation;
    action(recalling_self(self), out);
    // The voters of the next generation have refused nothing yet.
    if (inner().record().generation > generation && inner().is_resting()) {
        waited_ = 0;
        recalling_.retry(recalling_self(self), out);
    }
    for (RecallingEffects::Send& send : out.sends)
        std::visit([&](auto& message) { fx.sends.push_back({send.to, std::move(message)}); }, send.message);
    fx.persist |= out.persist;
    fx.probes.insert(fx.probes.end(), out.probes.begin(), out.probes.end());
    if (out.returned) fx.returned = std::move(out.returned);
    if (!self.config.succeeds) return;
    if (inner().voter().disk != 0) disks_[self.host] = inner().voter().disk;
    if (self.config.formed || inner().record().generation == 0 || inner().record().is_first()) return;
    FormingEffects papers;
    forming_.follow(inner().record(), inner().sealed(), papers);
    fx.persist |= papers.persist;
}

}  // namespace allot::agreement
