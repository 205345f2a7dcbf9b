#include "protocols/agreement/forming.hpp"

#include <algorithm>
#include <tuple>

namespace allot::agreement {

namespace {

std::vector<SiteId> hosts_of(const Record& record) {
    std::vector<SiteId> hosts;
    for (const VoterId& voter : record.voters) hosts.push_back(voter.host);
    return hosts;
}

// Within an incarnation the stage only grows.
bool is_newer(const Hello& one, const Hello& other) {
    return std::tie(one.incarnation, one.stage) > std::tie(other.incarnation, other.stage);
}

}  // namespace

void Forming::start(const Self& self, FormingEffects& fx) {
    if (papers_.disk != 0) return greet(self, fx);
    Papers fresh = papers_;
    fresh.disk = self.fresh_disk != 0 ? self.fresh_disk : self.incarnation + 1;
    fresh.view = self.view;
    fresh.quiet = self.quiet;
    store(std::move(fresh), fx);
}

Forming Forming::after_crash(Disk disk) const {
    Forming next;
    if (disk == Disk::kept) next.papers_ = on_disk();
    if (disk == Disk::torn) next.papers_ = papers_;
    return next;
}

void Forming::store(Papers next, FormingEffects& fx) {
    if (!synced_) synced_ = papers_;
    papers_ = std::move(next);
    fx.persist = true;
}

void Forming::synced(const Self& self, FormingEffects& fx) {
    if (!synced_) return;  // something else was written
    synced_.reset();
    greet(self, fx);
    go_on(self, fx);
}

// The list of the file counts until the voter is formed.
std::vector<SiteId> Forming::list(const Self& self) const {
    return papers_.stage == Stage::blank ? self.list : hosts_of(papers_.record);
}

Hello Forming::hello(const Self& self) const {
    const Papers& shown = on_disk();
    return {self.incarnation, list(self), shown.disk, shown.stage,
            shown.record,     false,      shown.view, shown.quiet};
}

void Forming::greet(const Self& self, FormingEffects& fx) {
    Hello greeting = hello(self);
    greeting.again = !std::exchange(greeted_, true) && self.incarnation > 0;
    for (SiteId host = 0; host < self.hosts; ++host)
        if (host != self.host) fx.sends.push_back({host, greeting});
}

// A disk that is not written yet has no id that others could rely on.
void Forming::greet(const Self& self, SiteId host, FormingEffects& fx) const {
    if (on_disk().disk != 0) fx.sends.push_back({host, hello(self)});
}

std::vector<SiteId> Forming::awaited(const Self& self) const {
    std::vector<SiteId> hosts;
    if (used()) return hosts;
    for (const SiteId host : list(self))
        if (host != self.host && !heard_.contains(host)) hosts.push_back(host);
    return hosts;
}

// Each stage waits for something else, and an active voter for nothing.
bool Forming::matters(const Self& self, SiteId from, const Hello& message) const {
    const bool is_blank = papers_.stage == Stage::blank;
    if (is_blank && papers_.used && message.stage == Stage::active && is_news(message.record)) return true;
    if (self.rules.same_list && message.list != list(self)) return false;
    const auto known = heard_.find(from);
    if (known != heard_.end() && !is_newer(message, known->second)) return false;
    const bool votes = std::ranges::find(self.list, self.host) != self.list.end();
    switch (papers_.stage) {
        case Stage::blank:
            return votes || (message.stage == Stage::active && !papers_.used);
        case Stage::formed:
            return message.record == papers_.record;
        case Stage::active:
            return false;
    }
    return false;
}

void Forming::receive(const Self& self, SiteId from, const Hello& message, FormingEffects& fx) {
    if (message.again) greet(self, from, fx);
    if (!matters(self, from, message)) return;
    heard_[from] = message;
    heard_[from].again = false;
    if (message.stage == Stage::active) meet(message.record, fx);
    go_on(self, fx);
}

void Forming::go_on(const Self& self, FormingEffects& fx) {
    if (papers_.stage == Stage::blank) form(self, fx);
    if (papers_.stage == Stage::formed) activate(self, fx);
}

// The first generation of a register that an operator has begun anew counts more than any record of the
// former one. Its later generations come with the value that sealed the one before.
bool Forming::is_news(const Record& active) const {
    return !papers_.used || (papers_.used->generation < active.generation && active.is_first());
}

void Forming::meet(const Record& active, FormingEffects& fx) {
    if (!is_news(active)) return;
    Papers next = papers_;
    next.used = active;
    next.sealed = {};
    store(std::move(next), fx);
}

void Forming::follow(const Record& record, const Value& sealed, FormingEffects& fx) {
    if (!papers_.used || papers_.used->generation >= record.generation) return;
    Papers next = papers_;
    next.used = record;
    next.sealed = sealed;
    store(std::move(next), fx);
}

void Forming::form(const Self& self, FormingEffects& fx) {
    if (papers_.used && !papers_.used->is_first()) return;  // the first voters were replaced
    std::optional<Record> record = record_heard(self);
    if (!record && !awaits_operator(self)) record = record_of_blanks(self);
    if (!record) return;
    Papers next = papers_;
    next.stage = Stage::formed;
    next.record = *record;
    store(std::move(next), fx);
    for (auto one = heard_.begin(); one != heard_.end();)
        one = one->second.record == *record ? std::next(one) : heard_.erase(one);
}

bool Forming::awaits_operator(const Self& self) const {
    return papers_.stage == Stage::blank && !papers_.used && !self.may_found_alone &&
           self.list == std::vector{self.host};
}

// The record that a peer has formed, which names this disk.
std::optional<Record> Forming::record_heard(const Self& self) const {
    for (const auto& [host, hello] : heard_)
        if (hello.stage != Stage::blank && hello.record.names({self.host, papers_.disk})) return hello.record;
    return std::nullopt;
}

// The record of all voters of the list, if all are blank.
std::optional<Record> Forming::record_of_blanks(const Self& self) const {
    Record record{.generation = 0, .voters = {}, .view = papers_.view, .quiet = papers_.quiet};
    for (const SiteId host : self.list) {
        const auto peer = heard_.find(host);
        if (host == self.host) {
            record.voters.push_back({host, papers_.disk});
            continue;
        }
        if (peer == heard_.end() || peer->second.stage != Stage::blank) return std::nullopt;
        const Hello& hello = peer->second;
        record.voters.push_back({host, hello.disk});
        record.view = std::max(record.view, hello.view);
        record.quiet &= hello.quiet;
    }
    record.generation = record.view + 1;
    return record.names({self.host, papers_.disk}) ? std::optional(record) : std::nullopt;
}

void Forming::activate(const Self& self, FormingEffects& fx) {
    if (self.rules.two_steps && !is_complete(self)) return;
    Papers next = papers_;
    next.stage = Stage::active;
    next.used = papers_.record;
    store(std::move(next), fx);
    heard_.clear();
}

// Whether all voters of the record are formed, or one of them is active.
bool Forming::is_complete(const Self& self) const {
    const auto stage_of = [&](SiteId host) {
        if (host == self.host) return papers_.stage;
        const auto peer = heard_.find(host);
        const bool same = peer != heard_.end() && peer->second.record == papers_.record;
        return same ? peer->second.stage : Stage::blank;
    };
    const std::vector<SiteId> hosts = hosts_of(papers_.record);
    const auto is_formed = [&](SiteId host) { return stage_of(host) != Stage::blank; };
    const auto is_active = [&](SiteId host) { return stage_of(host) == Stage::active; };
    return std::ranges::all_of(hosts, is_formed) || std::ranges::any_of(hosts, is_active);
}

}  // namespace allot::agreement
