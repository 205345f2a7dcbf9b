#include "protocols/agreement/register.hpp"

#include <algorithm>

#include "base/ensure.hpp"

namespace allot::agreement {

bool Record::names(const VoterId& voter) const {
    return std::ranges::find(voters, voter) != voters.end();
}

Record founders(std::uint32_t voters) {
    Record record{1, {}};
    for (SiteId host = 0; host < voters; ++host) record.voters.push_back({host, 1});
    return record;
}

Value Change::applied_to(const Value& value, const ValueId& id) const {
    Value changed = value;
    changed.version = value.version.next();
    changed.id = id;
    changed.parent = value.id;
    changed.kept = kept;
    if (same_view) return changed;
    ++changed.view;
    changed.members = members;
    changed.certified = certified;
    changed.quiet = quiet;
    // Settings with which the register was made outrank those of the host that makes the first view.
    const bool is_founded = value.settings && value.version == Stamp{};
    if (settings && !is_founded) changed.settings = settings;
    return changed;
}

void Register::start(const Self& self, const Record& founders, bool first, RegisterEffects& fx) {
    record_ = voter_.record.voters.empty() ? founders : voter_.record;
    sealed_ = voter_.sealed;
    known_ = Value{};
    if (voter_.disk != 0) return;
    // The disk is empty. Its new id makes it another voter than the one that was lost.
    const std::uint32_t fresh = self.fresh_disk != 0 ? self.fresh_disk : self.incarnation + 1;
    const VoterId me{self.host, first || !self.rules.known_disks ? 1 : fresh};
    if (!first) {
        synced_ = voter_;
        fx.persist = true;
    }
    voter_.disk = me.disk;
    if (founders.names(me)) voter_.record = founders;
}

Register Register::after_crash(Disk disk) const {
    Register next;
    if (disk == Disk::torn || (disk == Disk::kept && !synced_)) next.voter_ = voter_;
    if (disk == Disk::kept && synced_) next.voter_ = *synced_;
    return next;
}

void Register::receive(const Self& self, SiteId from, const RegisterMessage& message, RegisterEffects& fx) {
    std::visit([&](const auto& one) { handle(self, from, one, fx); }, message);
}

void Register::deliver_own(const Self& self, RegisterEffects& fx) {
    for (std::size_t i = 0; i < fx.sends.size();) {
        if (fx.sends[i].to != self.host) {
            ++i;
            continue;
        }
        const RegisterEffects::Send own = std::move(fx.sends[i]);
        fx.sends.erase(fx.sends.begin() + static_cast<std::ptrdiff_t>(i));
        receive(self, self.host, own.message, fx);
    }
}

void Register::learn(const Value& value) {
    if (value.version > known_.version) known_ = value;
}

void Register::use(const Record& record, const Value& sealed) {
    if (record.generation <= record_.generation) return;
    record_ = record;
    if (sealed.next == record) sealed_ = sealed;
    if (open_) rest();  // its answers are those of another generation
}

// --- A voter.

// Whether the voter, as it is or as its disk has it, answers a request of that record. Otherwise it says what
// keeps it from that: it is of a later generation, or it was not formatted for this one.
bool Register::votes(const Self& self, const Voter& voter, SiteId from, const Record& record,
                     RegisterEffects& fx) {
    if (votes_in(voter, record)) return self.votes;
    if (record.generation < voter.record.generation && voter.sealed.next)
        fx.sends.push_back({from, Moved{voter.sealed}});
    else if (self.nacks && record.generation > voter.record.generation &&
             record.names({self.host, voter.disk}))
        fx.sends.push_back({from, NotYet{record}});
    return false;
}

bool Register::votes_in(const Voter& voter, const Record& record) {
    return !voter.record.voters.empty() && voter.record == record;
}

void Register::store(const Self& self, Voter next, SiteId to, RegisterMessage reply, RegisterEffects& fx) {
    if (!synced_) synced_ = voter_;
    voter_ = std::move(next);
    fx.persist = true;
    answer(self, to, std::move(reply), fx);
}

// A crash before the write is on the disk must not break a promise that somebody counts on.
void Register::answer(const Self& self, SiteId to, RegisterMessage reply, RegisterEffects& fx) {
    if (!synced_ || !self.rules.sync_first) return fx.sends.push_back({to, std::move(reply)});
    std::pair waits{to, std::move(reply)};
    if (std::ranges::find(unsent_, waits) == unsent_.end()) unsent_.push_back(std::move(waits));
}

void Register::synced(const Self&, RegisterEffects& fx) {
    synced_.reset();
    for (auto& [to, reply] : std::exchange(unsent_, {})) fx.sends.push_back({to, std::move(reply)});
}

void Register::refuse(const Self& self, SiteId from, const Ballot& ballot, RegisterEffects& fx) const {
    if (self.nacks) fx.sends.push_back({from, Nack{ballot, voter_.promised.counter}});
}

void Register::handle(const Self& self, SiteId from, const Prepare& message, RegisterEffects& fx) {
    if (!votes(self, voter_, from, message.record, fx)) return;
    const bool again = !self.rules.strict_promises && message.ballot == voter_.promised;
    if (message.ballot <= voter_.promised && !again) return refuse(self, from, message.ballot, fx);
    Voter next = voter_;
    next.promised = message.ballot;
    store(self, std::move(next), from, Promise{message.ballot, voter_.accepted, voter_.value}, fx);
}

void Register::handle(const Self& self, SiteId from, const Accept& message, RegisterEffects& fx) {
    if (!votes(self, voter_, from, message.record, fx)) return;
    if (message.ballot < voter_.promised) return refuse(self, from, message.ballot, fx);
    const bool again = message.ballot == voter_.accepted && message.value == voter_.value;
    if (again) return answer(self, from, Accepted{message.ballot}, fx);
    Voter next = voter_;
    next.promised = message.ballot;
    next.accepted = message.ballot;
    next.value = message.value;
    store(self, std::move(next), from, Accepted{message.ballot}, fx);
}

void Register::handle(const Self& self, SiteId from, const Read& message, RegisterEffects& fx) {
    const Voter& shown = synced_ && self.rules.synced_reads ? *synced_ : voter_;
    if (!votes(self, shown, from, message.record, fx)) return;
    fx.sends.push_back({from, ReadAnswer{message.question, shown.accepted, shown.value}});
}

void Register::handle(const Self& self, SiteId, const Format& message, RegisterEffects& fx) {
    const bool newer = message.record.generation > voter_.record.generation;
    if (!newer || !message.record.names({self.host, voter_.disk})) return;
    Voter next;
    next.disk = voter_.disk;
    next.record = message.record;
    next.value = message.value;
    next.value.next.reset();
    next.sealed = message.value;
    if (!synced_) synced_ = voter_;
    voter_ = std::move(next);
    fx.persist = true;
    if (message.record.generation <= record_.generation) return;
    record_ = message.record;
    sealed_ = message.value;
    if (open_) rest();  // its answers are those of another generation
}

// --- A proposer.

std::size_t Register::quorum(const Self& self) const {
    const std::size_t voters = record_.voters.size();
    return self.rules.majorities ? voters / 2 + 1 : std::max<std::size_t>(1, (voters + 1) / 2);
}

void Register::send_to_voters(const RegisterMessage& message, RegisterEffects& fx) const {
    for (const VoterId& voter : record_.voters) fx.sends.push_back({voter.host, message});
}

void Register::begin(const Self& self, Operation kind, Change change, std::vector<VoterId> next,
                     RegisterEffects& fx) {
    ensure(!open_, "a register has one operation under way at a time");
    ++operations_;
    const ValueName base = change.of.value_or(ValueName{known_.id, known_.version});
    open_ = Open{.kind = kind,
                 .id = {self.host, self.incarnation, operations_},
                 .expected = base.id,
                 .version = base.version,
                 .generation = record_.generation,
                 .change = std::move(change),
                 .next = std::move(next)};
    ask(self, fx);
}

void Register::ask(const Self& self, RegisterEffects& fx) {
    const bool only_reads = open_->kind == Operation::quick || open_->kind == Operation::glance;
    only_reads ? look(self, fx) : attempt(self, fx);
}

void Register::look(const Self& self, RegisterEffects& fx) {
    open_->step = Step::reading;
    open_->answers.clear();
    open_->question = {self.incarnation, ++questions_};
    send_to_voters(Read{record_, open_->question}, fx);
}

void Register::retry(const Self& self, RegisterEffects& fx) {
    if (!may_attempt()) return;
    if (!may_look(self)) return attempt(self, fx);
    ++open_->looks;
    look(self, fx);
}

// An operation that meets a write under way need often only see its end: a read returns it, and an exchange
// has lost against it. As an attempt it would refuse the writer, and both would last longer. If the writer is
// gone, nothing but an attempt helps.
bool Register::may_look(const Self& self) const {
    const bool ends_by_looking = open_->kind == Operation::quick || open_->kind == Operation::exchange;
    return ends_by_looking && open_->looks < self.looks;
}

void Register::attempt(const Self& self, RegisterEffects& fx) {
    ++counter_;
    ++open_->attempts;
    open_->looks = 0;
    open_->step = Step::preparing;
    open_->answers.clear();
    open_->proposed = Value{};
    open_->ballot = {counter_, self.host, self.rules.unique_ballots ? self.incarnation : 0};
    send_to_voters(Prepare{record_, open_->ballot}, fx);
}

// A later answer of a voter replaces its former one.
void Register::add_answer(Answer answer) {
    auto& answers = open_->answers;
    const auto place = std::ranges::lower_bound(answers, answer.voter, {}, &Answer::voter);
    if (place != answers.end() && place->voter == answer.voter)
        *place = std::move(answer);
    else
        answers.insert(place, std::move(answer));
}

bool Register::is_in(Step step, const Ballot& ballot) const {
    return open_ && open_->step == step && open_->ballot == ballot;
}

bool Register::asks(const Question& question) const {
    return open_ && open_->step == Step::reading && open_->question == question;
}

void Register::handle(const Self& self, SiteId from, const Promise& message, RegisterEffects& fx) {
    if (!is_in(Step::preparing, message.ballot)) return;
    add_answer({from, message.accepted, message.value});
    if (open_->answers.size() == quorum(self)) propose(self, fx);
}

void Register::propose(const Self& self, RegisterEffects& fx) {
    const Value newest = std::ranges::max(open_->answers, {}, &Answer::accepted).value;
    const bool changes = wants_change(newest);
    open_->proposed = changes ? changed(self, newest) : newest;
    open_->was_proposed |= changes && open_->kind == Operation::change;
    open_->step = Step::accepting;
    open_->answers.clear();
    const Value& proposed = open_->proposed;
    send_to_voters(Accept{record_, open_->ballot, proposed}, fx);
    if (!self.rules.committed_seal && proposed.next) format(*proposed.next, proposed, fx);
}

// A value that was read again, after a lost race or because it is this operation's own, stays as it is.
bool Register::wants_change(const Value& newest) const {
    if (newest.next || newest.id == open_->id) return false;
    switch (open_->kind) {
        case Operation::read:
        case Operation::quick:
        case Operation::glance:
            return false;
        case Operation::exchange:
            return newest.id == open_->expected && newest.version == open_->version;
        case Operation::change:
            return !open_->was_proposed;
        case Operation::seal:
            return record_.generation == open_->generation;
    }
    return false;
}

Value Register::changed(const Self& self, const Value& newest) const {
    if (open_->kind != Operation::seal) {
        Value value = open_->change.applied_to(newest, open_->id);
        if (!open_->change.next.empty()) value.next = Record{record_.generation + 1, open_->change.next};
        return value;
    }
    Value value = newest;
    value.version = newest.version.next();
    value.id = open_->id;
    value.parent = newest.id;
    if (self.rules.seal) value.next = next_record();
    return value;
}

void Register::handle(const Self& self, SiteId from, const Accepted& message, RegisterEffects& fx) {
    if (!is_in(Step::accepting, message.ballot)) return;
    add_answer({from, {}, {}});
    if (open_->answers.size() == quorum(self)) committed(self, open_->proposed, fx);
}

// Rests until the next attempt: several proposers that answer at once would refuse each other for ever.
void Register::handle(const Self&, SiteId, const Nack& message, RegisterEffects&) {
    counter_ = std::max(counter_, message.counter);
    if (is_in(Step::preparing, message.ballot) || is_in(Step::accepting, message.ballot)) rest();
}

void Register::rest() {
    open_->step = Step::resting;
    open_->answers.clear();
    open_->proposed = Value{};
}

void Register::handle(const Self& self, SiteId from, const ReadAnswer& message, RegisterEffects& fx) {
    if (!asks(message.question)) return;
    add_answer({from, message.accepted, message.value});
    judge_reads(self, fx);
}

// Promises do not matter: a value that a quorum has accepted in one ballot is committed.
void Register::judge_reads(const Self& self, RegisterEffects& fx) {
    const std::vector<Answer> answers = open_->answers;
    if (!self.rules.majority_reads) return committed(self, answers.front().value, fx);
    for (const Answer& answer : answers) {
        const auto same = std::ranges::count_if(answers, [&](const Answer& other) {
            return self.rules.one_ballot ? other.accepted == answer.accepted
                                         : other.value.id == answer.value.id;
        });
        if (static_cast<std::size_t>(same) < quorum(self)) continue;
        return wants_change(answer.value) ? attempt(self, fx) : committed(self, answer.value, fx);
    }
    if (!self.rules.confirmed_reads && answers.size() >= quorum(self))
        return committed(self, std::ranges::max(answers, {}, &Answer::accepted).value, fx);
    if (answers.size() < record_.voters.size()) return;
    if (may_look(self)) return rest();
    if (may_attempt()) attempt(self, fx);
}

void Register::committed(const Self& self, Value value, RegisterEffects& fx) {
    if (open_->kind == Operation::seal && !self.rules.seal) {
        const Record next = next_record();
        format(next, value, fx);
        record_ = next;
        return finish(std::move(value), fx);
    }
    if (!value.next) return finish(std::move(value), fx);
    const bool own = value.id == open_->id;
    go_on(value, fx);
    if (own || !self.rules.sealed_reads) return finish(std::move(value), fx);
    ask(self, fx);
}

// Everybody who meets a sealed value formats the next voters: its proposer may be gone.
void Register::go_on(const Value& sealed, RegisterEffects& fx) {
    if (sealed.next->generation <= record_.generation) return;
    record_ = *sealed.next;
    sealed_ = sealed;
    format(record_, sealed_, fx);
}

void Register::format(const Record& record, const Value& value, RegisterEffects& fx) const {
    for (const VoterId& voter : record.voters) fx.sends.push_back({voter.host, Format{record, value}});
}

void Register::handle(const Self& self, SiteId, const Moved& message, RegisterEffects& fx) {
    if (!message.sealed.next || message.sealed.next->generation <= record_.generation) return;
    go_on(message.sealed, fx);
    if (open_) ask(self, fx);
}

void Register::handle(const Self& self, SiteId from, const NotYet& message, RegisterEffects& fx) {
    if (self.rules.format_again && message.record == record_ && sealed_.next == record_)
        fx.sends.push_back({from, Format{record_, sealed_}});
}

void Register::finish(Value value, RegisterEffects& fx) {
    learn(value);
    open_.reset();
    fx.returned = std::move(value);
}

// --- Messages that can still act.

struct Register::Heeds {
    const Register& here;
    const Self& self;
    const Register& sender;
    const std::uint32_t generations;

    // The answer to a late request may be that its generation has ended, and lead the sender to the last one.
    bool may_lead() const { return generations > 1 && sender.record_.generation < generations; }
    bool may_answer(const Record& record, bool refused) const {
        if (may_lead()) return true;
        if (here.voter_.record.generation > record.generation) return false;
        return !votes_in(here.voter_, record) || !refused || self.nacks;
    }
    bool operator()(const Prepare& message) const {
        const Ballot& promised = here.voter_.promised;
        return may_answer(message.record, self.rules.strict_promises ? message.ballot <= promised
                                                                     : message.ballot < promised);
    }
    bool operator()(const Accept& message) const {
        const Voter& voter = here.voter_;
        const bool again = message.ballot == voter.accepted && message.value == voter.value;
        return may_answer(message.record, message.ballot < voter.promised || again);
    }
    bool operator()(const Read& message) const {
        return may_answer(message.record, false) && (may_lead() || sender.asks(message.question));
    }
    bool operator()(const Promise& message) const { return here.is_in(Step::preparing, message.ballot); }
    bool operator()(const Accepted& message) const { return here.is_in(Step::accepting, message.ballot); }
    bool operator()(const Nack& message) const {
        return message.counter > here.counter_ || here.is_in(Step::preparing, message.ballot) ||
               here.is_in(Step::accepting, message.ballot);
    }
    bool operator()(const ReadAnswer& message) const { return here.asks(message.question); }
    bool operator()(const Moved& message) const {
        return message.sealed.next && message.sealed.next->generation > here.record_.generation;
    }
    bool operator()(const NotYet& message) const { return message.record == here.record_; }
    bool operator()(const Format& message) const {
        return message.record.generation > here.voter_.record.generation &&
               message.record.names({self.host, here.voter_.disk});
    }
};

bool Register::heeds(const Self& self, const Register& sender, std::uint32_t generations,
                     const RegisterMessage& message) const {
    return std::visit(Heeds{*this, self, sender, generations}, message);
}

}  // namespace allot::agreement
