#include "protocols/agreement/recalling.hpp"

#include <algorithm>
#include <utility>

namespace allot::agreement {

namespace {

// The value that a register begins with. If the record says more than nothing, nobody knows it yet: so it has
// a version of its own.
Value first_value(const Record& record) {
    Value first{.view = record.view, .quiet = record.quiet};
    if (first != Value{}) first.version = first.version.next();
    return first;
}

}  // namespace

Register::Self Recalling::inner_self(const Self& self) const {
    return {.host = self.host(),
            .incarnation = self.incarnation,
            .rules = self.rules,
            .nacks = self.nacks,
            .votes = asked_.empty() && !memory_.thrown_away,
            .fresh_disk = self.fresh_disk,
            .looks = self.looks};
}

// --- A voter that starts again.

void Recalling::start(const Self& self, const Record& founders, bool first, RecallingEffects& fx) {
    remembers_ = self.recalling.remember;
    step(self, fx, [&](const Register::Self& inner, RegisterEffects& out) {
        register_.start(inner, founders, first, out);
    });
    if (first && self.machine == self.host()) return;
    ask_all(self, fx);
}

void Recalling::ask_all(const Self& self, RecallingEffects& fx) {
    const bool may_vote = !register_.voter().record.voters.empty() && !memory_.thrown_away;
    if (!may_vote || !self.recalling.ask_first) return;
    for (SiteId machine = 0; machine < self.machines; ++machine)
        if (machine != self.host() && machine == self.host_of(machine) && self.takes_part(machine))
            asked_.push_back(machine);
    if (!self.recalling.ask_all) asked_.pop_back();
    ask(self, fx);
}

void Recalling::ask(const Self& self, RecallingEffects& fx) const {
    for (SiteId machine = 0; machine < self.machines; ++machine)
        if (std::ranges::find(asked_, self.host_of(machine)) != asked_.end())
            fx.sends.push_back({machine, WhichRank{{self.machine, self.incarnation}}});
}

void Recalling::make_do(const Self& self) {
    const auto& voters = register_.record().voters;
    const auto answered = std::ranges::count_if(voters, [&](const VoterId& voter) {
        return voter.host == self.host() || std::ranges::find(asked_, voter.host) == asked_.end();
    });
    if (2 * static_cast<std::size_t>(answered) > voters.size()) asked_.clear();
}

void Recalling::handle(const Self& self, SiteId from, const WhichRank& message, RecallingEffects& fx) {
    if (is_old(self, message.sender) || refuses(self, message.sender, fx)) return;
    hear(self, message.sender, {}, fx);
    fx.sends.push_back({from, HeardRank{message.sender.incarnation, heard_of(self.host_of(from)).rank}});
}

void Recalling::handle(const Self& self, SiteId from, const HeardRank& message, RecallingEffects& fx) {
    if (message.incarnation != self.incarnation) return;
    compare(self, message.rank, fx);
    std::erase(asked_, self.host_of(from));
}

// An empty disk has forgotten all votes, and no record names it.
void Recalling::compare(const Self& self, const VoterRank& heard, RecallingEffects& fx) {
    if (register_.voter().record.voters.empty()) return;
    if (heard <= rank(self) || memory_.thrown_away || !self.recalling.compare_ranks) return;
    fx.reached(probe::rolled_back);
    throw_away(fx);
}

void Recalling::throw_away(RecallingEffects& fx) {
    Memory next = memory_;
    next.thrown_away = true;
    write(std::move(next), fx);
}

// --- A disk on two machines.

bool Recalling::is_copy(const Self& self, const Peer& sender) const {
    return sender.site != heard_of(self.host_of(sender.site)).sender.site;
}

// Nobody can know which of the two machines has the newer votes.
bool Recalling::refuses(const Self& self, const Peer& sender, RecallingEffects& fx) {
    if (!is_copy(self, sender) || !self.recalling.one_machine) return false;
    fx.reached(probe::copied_disk);
    fx.sends.push_back({sender.site, Copied{}});
    fx.sends.push_back({heard_of(self.host_of(sender.site)).sender.site, Copied{}});
    return true;
}

void Recalling::handle(const Self&, SiteId, const Copied&, RecallingEffects& fx) {
    if (!memory_.thrown_away) throw_away(fx);
    asked_.clear();
}

// --- Memory.

VoterRank Recalling::rank(const Self& self) const {
    const Voter& voter = register_.voter();
    // The first generation counts as 0, so that nobody need remember a voter that has not voted yet.
    const std::uint32_t generation = std::max(1u, voter.record.generation) - 1;
    return {self.rank_by_generation ? generation : 0, voter.promised,
            voter.accepted.counter > 0 && voter.accepted == voter.promised};
}

// Every host has met the others at the first start.
Memory::Heard Recalling::heard_of(SiteId host) const {
    const auto place = memory_.heard.find(host);
    return place == memory_.heard.end() ? Memory::Heard{.sender = {host, 0}, .rank = {}} : place->second;
}

bool Recalling::is_old(const Self& self, const Peer& sender) const {
    return !is_copy(self, sender) &&
           sender.incarnation < heard_of(self.host_of(sender.site)).sender.incarnation;
}

void Recalling::hear(const Self& self, const Peer& sender, const VoterRank& rank, RecallingEffects& fx) {
    const SiteId host = self.host_of(sender.site);
    const Memory::Heard before = heard_of(host);
    const Memory::Heard after{is_copy(self, sender) ? sender : std::max(before.sender, sender),
                              std::max(before.rank, rank)};
    if (after == before) return;
    Memory next = memory_;
    next.heard[host] = after;
    write(std::move(next), fx);
}

void Recalling::write(Memory memory, RecallingEffects& fx) {
    if (!synced_) synced_ = memory_;
    memory_ = std::move(memory);
    fx.persist = true;
}

Recalling Recalling::after_crash(Disk disk) const {
    Recalling next;
    next.register_ = register_.after_crash(disk);
    if (disk == Disk::lost) return next;
    next.memory_ = synced_ && disk == Disk::kept ? *synced_ : memory_;
    if (!remembers_) next.memory_.heard.clear();
    return next;
}

// --- The register.

void Recalling::begin(const Self& self, Operation kind, Change change, RecallingEffects& fx) {
    step(self, fx, [&](const Register::Self& inner, RegisterEffects& out) {
        register_.begin(inner, kind, std::move(change), {}, out);
    });
}

void Recalling::retry(const Self& self, RecallingEffects& fx) {
    step(self, fx, [&](const Register::Self& inner, RegisterEffects& out) { register_.retry(inner, out); });
}

void Recalling::give_up() {
    register_.give_up();
    returned_.reset();
}

void Recalling::found(const Self& self, const Record& record, RecallingEffects& fx) {
    step(self, fx, [&](const Register::Self& inner, RegisterEffects& out) {
        register_.receive(inner, self.host(), Format{record, first_value(record)}, out);
    });
    ask_all(self, fx);
}

void Recalling::tell_record(const Self& self, SiteId host, RecallingEffects& fx) {
    if (!register_.sealed().next) return;
    step(self, fx, [&](const Register::Self&, RegisterEffects& out) {
        out.sends.push_back({host, Moved{register_.sealed()}});
    });
}

void Recalling::receive(const Self& self, SiteId from, const RecallingMessage& message,
                        RecallingEffects& fx) {
    std::visit([&](const auto& one) { handle(self, from, one, fx); }, message);
}

template <class M>
void Recalling::handle(const Self& self, SiteId from, const Framed<M>& message, RecallingEffects& fx) {
    if (is_old(self, message.sender) && self.recalling.new_links) return;
    if (refuses(self, message.sender, fx)) return;
    hear(self, message.sender, message.rank, fx);
    compare(self, message.heard, fx);
    step(self, fx, [&](const Register::Self& inner, RegisterEffects& out) {
        register_.receive(inner, self.host_of(from), M(message), out);
    });
}

template <class Action>
void Recalling::step(const Self& self, RecallingEffects& fx, Action&& action) {
    const Register::Self inner = inner_self(self);
    RegisterEffects out;
    action(inner, out);
    register_.deliver_own(inner, out);
    for (RegisterEffects::Send& send : out.sends) unsaid_.emplace_back(send.to, std::move(send.message));
    if (out.returned) returned_ = std::move(out.returned);
    if (out.persist) {
        if (!synced_) synced_ = memory_;
        fx.persist = true;
    }
    if (!synced_ || !self.recalling.write_first) speak(self, fx);
}

void Recalling::synced(const Self& self, RecallingEffects& fx) {
    synced_.reset();
    step(self, fx, [&](const Register::Self& inner, RegisterEffects& out) { register_.synced(inner, out); });
}

// Answers always tell the rank: they are the vote.
void Recalling::speak(const Self& self, RecallingEffects& fx) {
    for (auto& [to, message] : std::exchange(unsaid_, {})) {
        const bool request = std::holds_alternative<Prepare>(message) ||
                             std::holds_alternative<Accept>(message) || std::holds_alternative<Read>(message);
        const VoterRank told = request && !self.recalling.own_rank ? VoterRank{} : rank(self);
        const VoterRank known = heard_of(to).rank;
        for (SiteId machine = 0; machine < self.machines; ++machine) {
            if (self.host_of(machine) != to) continue;
            std::visit(
                [&]<class M>(const M& one) {
                    fx.sends.push_back(
                        {machine, Framed<M>{one, {self.machine, self.incarnation}, told, known}});
                },
                message);
        }
    }
    if (returned_) fx.returned = std::exchange(returned_, std::nullopt);
}

// --- Messages that can still act.

struct Recalling::Heeds {
    const Self& self;
    const Recalling& here;
    const Recalling& sender;

    Memory::Heard heard_of(const Peer& peer) const { return here.heard_of(self.host_of(peer.site)); }
    template <class M>
    bool operator()(const Framed<M>& message) const {
        const Memory::Heard heard = heard_of(message.sender);
        if (here.is_old(self, message.sender) && self.recalling.new_links) return false;
        if (here.is_copy(self, message.sender)) return true;
        if (message.sender > heard.sender || message.rank > heard.rank) return true;
        if (message.heard > here.rank(self) && !here.memory_.thrown_away) return true;
        return here.register_.heeds(here.inner_self(self), sender.register_, 1, M(message));
    }
    bool operator()(const WhichRank& message) const {
        const bool waits = std::ranges::find(sender.asked_, self.host()) != sender.asked_.end();
        return !here.is_old(self, message.sender) &&
               (message.sender != heard_of(message.sender).sender || waits);
    }
    bool operator()(const HeardRank& message) const {
        return message.incarnation == self.incarnation &&
               (!here.asked_.empty() || (message.rank > here.rank(self) && !here.memory_.thrown_away));
    }
    bool operator()(const Copied&) const { return !here.memory_.thrown_away || !here.asked_.empty(); }
};

bool Recalling::heeds(const Self& self, const Recalling& sender, const RecallingMessage& message) const {
    return std::visit(Heeds{self, *this, sender}, message);
}

}  // namespace allot::agreement
