// The register: one agreed value that the hosts keep themselves, by compare-and-set Paxos on a single value
// (Rystsov 2018). This is the machine of one host; a protocol or a daemon has it as a part of its state.
//
// A few hosts are voters. A voter promises ballots and accepts values, and writes both to its disk before it
// answers. Every host proposes and reads, by one of two ways:
//     attempt     Prepare asks for promises; with a quorum of them the host knows the newest value that can
//                 have been chosen. It proposes a change of it, or the same value again, by Accept. With a
//                 quorum of Accepted the value is committed, and only then returned.
//     quick read  Read asks what the voters have accepted. If a quorum names one ballot, its value is
//                 committed already. Otherwise the host attempts.
//
// A voter is a host with a disk: a host that lost its disk is another voter, which no record names. So
// nobody votes who has forgotten a promise.
//
// The voters of one generation are a record. They are replaced as a whole: a last change seals the
// generation, because it names the next record, and every later attempt repeats the sealed value. Whoever
// sees it committed formats the next voters with it; they begin with ballots of their own.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.hpp"
#include "core/want.hpp"
#include "protocols/agreement/settings.hpp"

namespace allot::agreement {

// Of a lease, or between two clocks, in the laboratory: so sums of them are numbers.
inline constexpr std::uint32_t most_ticks = 1'000'000;

// Ticks of the laboratory before the second attempt of an operation; later ones wait longer.
inline constexpr std::uint32_t first_wait = 20;

// Ballots of two incarnations of a host differ, though neither was written to a disk.
struct Ballot {
    std::uint32_t counter = 0;  // 0: no ballot
    SiteId host = 0;
    std::uint32_t incarnation = 0;
    auto operator<=>(const Ballot&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ballot, (), (counter, host, incarnation))

struct VoterId {
    SiteId host = 0;
    std::uint32_t disk = 0;
    auto operator<=>(const VoterId&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoterId, (), (host, disk))

// The voters of one generation. A register that an operator begins anew, above all views of the former one,
// begins above all its generations, too: a host that was away knows by the number which of two records
// counts.
struct Record {
    std::uint32_t generation = 0;
    std::vector<VoterId> voters;
    std::uint32_t view = 0;  // the first generation: views begin after this number ...
    bool quiet = false;      // ... and no program of an earlier time runs
    bool names(const VoterId& voter) const;
    bool is_first() const { return generation == view + 1; }
    bool operator==(const Record&) const = default;
};
BOOST_DESCRIBE_STRUCT(Record, (), (generation, voters, view, quiet))

// The first record: hosts from 0 on, with the disks that they have at their first start.
Record founders(std::uint32_t voters);

// Names a proposal, or a sticky request. Number 0 is the first value of all, which nobody proposed.
struct ValueId {
    SiteId host = 0;
    std::uint32_t incarnation = 0;
    std::uint32_t number = 0;
    auto operator<=>(const ValueId&) const = default;
};
BOOST_DESCRIBE_STRUCT(ValueId, (), (host, incarnation, number))

// A sticky request: what it holds stays with its owner until that gives it back, whatever becomes of the
// program, its host, and the leases of both.
struct Ownership {
    ValueId id;                  // by the host that granted it
    std::string owner;           // for people
    std::uint64_t since_ms = 0;  // when it was asked for, since the epoch
    bool operator==(const Ownership&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ownership, (), (id, owner, since_ms))

// A sticky request as the register keeps it.
struct Kept {
    Ownership ownership;
    Want want;
    std::vector<Fence> fences;
    bool returned = false;  // it is given back: the host that holds it lets the register forget it
    bool operator==(const Kept&) const = default;
};
BOOST_DESCRIBE_STRUCT(Kept, (), (ownership, want, fences, returned))

struct Value {
    Stamp version;
    ValueId id;
    ValueId parent;                    // the value that it changed
    std::uint32_t view = 0;            // the content: the number of the newest view
    std::vector<Peer> members;         // and its members
    std::vector<Peer> certified;       // former members whose programs need no waiting for
    bool quiet = false;                // no program runs but under a member of this view
    std::optional<Settings> settings;  // none before the first view
    std::vector<Kept> kept;            // by id
    std::optional<Record> next;        // sealed: the generation ends with this value

    Edition edition() const { return settings ? settings->edition() : 0; }
    bool operator==(const Value&) const = default;
};
BOOST_DESCRIBE_STRUCT(Value, (), (version, id, parent, view, members, certified, quiet, settings, kept, next))

// One value of the register.
struct ValueName {
    ValueId id;
    Stamp version;
    bool operator==(const ValueName&) const = default;
};
BOOST_DESCRIBE_STRUCT(ValueName, (), (id, version))

// The content of the next value.
struct Change {
    std::vector<Peer> members;
    std::vector<Peer> certified;
    bool quiet = false;
    std::optional<Settings> settings;  // none: as before
    std::vector<Kept> kept;
    bool same_view = false;       // the view does not change
    std::optional<ValueName> of;  // the value that it changes; none: the newest that the register knows
    std::vector<VoterId> next{};  // seals the generation: the voters of the next one; empty: it goes on
    // The value that follows this one.
    Value applied_to(const Value& value, const ValueId& id) const;
    bool operator==(const Change&) const = default;
};
BOOST_DESCRIBE_STRUCT(Change, (), (members, certified, quiet, settings, kept, same_view, of, next))

// Each rule may be switched off, to see which defect it prevents.
struct VotingRules {
    bool majorities = true;
    bool majority_reads = true;
    bool confirmed_reads = true;
    bool one_ballot = true;
    bool sync_first = true;
    bool synced_reads = true;
    bool known_disks = true;
    bool strict_promises = true;
    bool unique_ballots = true;

    static constexpr Meaning meanings[]{
        {"majorities", "a quorum is more than half of the voters, not just half of an even number"},
        {"majority_reads", "a quick read asks a quorum, not one voter"},
        {"confirmed_reads", "a quick read returns no value that only some voters have accepted"},
        {"one_ballot", "a quick read needs a quorum of one ballot, not of equal values"},
        {"sync_first", "a voter answers when its write is on the disk"},
        {"synced_reads", "a voter shows a reader only what is on its disk"},
        {"known_disks", "an empty disk does not vote"},
        {"strict_promises", "a voter promises no ballot twice"},
        {"unique_ballots", "ballots of two incarnations of a host differ"},
    };
    BOOST_DESCRIBE_CLASS(VotingRules, (),
                         (majorities, majority_reads, confirmed_reads, one_ballot, sync_first, synced_reads,
                          known_disks, strict_promises, unique_ballots),
                         (), ())
};

// Of generations that follow each other.
struct SealRules {
    bool committed_seal = true;
    bool seal = true;
    bool sealed_reads = true;
    bool format_again = true;

    static constexpr Meaning meanings[]{
        {"committed_seal", "the next voters are formatted when the seal is committed, not before"},
        {"seal", "the last value of a generation names the next record"},
        {"sealed_reads", "a sealed value is no answer: the operation goes on in the next generation"},
        {"format_again", "a voter that was down when it was formatted is formatted again"},
    };
    BOOST_DESCRIBE_CLASS(SealRules, (), (committed_seal, seal, sealed_reads, format_again), (), ())
};

// Of voters whose disks may be rolled back, and that follow each other.
struct SuccessionRules {
    bool rank_by_generation = true;

    static constexpr Meaning meanings[]{
        {"rank_by_generation", "ranks count by generation first: ballots begin again with each"},
    };
    BOOST_DESCRIBE_CLASS(SuccessionRules, (), (rank_by_generation), (), ())
};

struct Rules : VotingRules, SealRules {
    BOOST_DESCRIBE_CLASS(Rules, (VotingRules, SealRules), (), (), ())
};

// --- Messages. Requests name the record that the sender believes in.

struct Prepare {
    Record record;
    Ballot ballot;
    bool operator==(const Prepare&) const = default;
};
BOOST_DESCRIBE_STRUCT(Prepare, (), (record, ballot))

struct Promise {
    Ballot ballot;
    Ballot accepted;
    Value value;  // accepted in that ballot
    bool operator==(const Promise&) const = default;
};
BOOST_DESCRIBE_STRUCT(Promise, (), (ballot, accepted, value))

struct Accept {
    Record record;
    Ballot ballot;
    Value value;
    bool operator==(const Accept&) const = default;
};
BOOST_DESCRIBE_STRUCT(Accept, (), (record, ballot, value))

struct Accepted {
    Ballot ballot;
    bool operator==(const Accepted&) const = default;
};
BOOST_DESCRIBE_STRUCT(Accepted, (), (ballot))

struct Nack {
    Ballot ballot;
    std::uint32_t counter = 0;  // of the ballot that was promised: the next one must be higher
    bool operator==(const Nack&) const = default;
};
BOOST_DESCRIBE_STRUCT(Nack, (), (ballot, counter))

// Names a read of one incarnation.
struct Question {
    std::uint32_t incarnation = 0;
    std::uint32_t number = 0;
    bool operator==(const Question&) const = default;
};
BOOST_DESCRIBE_STRUCT(Question, (), (incarnation, number))

struct Read {
    Record record;
    Question question;
    bool operator==(const Read&) const = default;
};
BOOST_DESCRIBE_STRUCT(Read, (), (record, question))

struct ReadAnswer {
    Question question;
    Ballot accepted;
    Value value;
    bool operator==(const ReadAnswer&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReadAnswer, (), (question, accepted, value))

// The answer of a voter to every request of an earlier generation.
struct Moved {
    Value sealed;
    bool operator==(const Moved&) const = default;
};
BOOST_DESCRIBE_STRUCT(Moved, (), (sealed))

// The answer of a voter to a request of a record that names it, though nobody has formatted it yet.
struct NotYet {
    Record record;
    bool operator==(const NotYet&) const = default;
};
BOOST_DESCRIBE_STRUCT(NotYet, (), (record))

// Makes the receiver a voter of the next generation, which begins with this value.
struct Format {
    Record record;
    Value value;
    bool operator==(const Format&) const = default;
};
BOOST_DESCRIBE_STRUCT(Format, (), (record, value))

using RegisterMessage =
    std::variant<Prepare, Promise, Accept, Accepted, Nack, Read, ReadAnswer, Moved, NotYet, Format>;

// --- The machine.

// The effects of one step.
struct RegisterEffects {
    struct Send {
        SiteId to;
        RegisterMessage message;
    };
    std::vector<Send> sends;
    bool persist = false;           // the voter has changed: write it
    std::optional<Value> returned;  // the operation under way has ended with this value
};

enum class Operation : std::uint8_t {
    read,      // by an attempt
    quick,     // by one round, if that is possible
    glance,    // by one round or not at all
    exchange,  // compare-and-set: changes the newest value that this host knows, or nothing
    change,    // changes whichever value is the newest, once
    seal,      // ends the generation in which it began
};
BOOST_DESCRIBE_ENUM(Operation, read, quick, glance, exchange, change, seal)

// The durable part.
struct Voter {
    std::uint32_t disk = 0;  // 0: there is none
    Record record;           // empty: it does not vote
    Ballot promised;
    Ballot accepted;
    Value value;
    Value sealed;  // the value that named the record; none of the first generation
    bool operator==(const Voter&) const = default;
};
BOOST_DESCRIBE_STRUCT(Voter, (), (disk, record, promised, accepted, value, sealed))

class Register {
public:
    // The surroundings of a handler.
    struct Self {
        SiteId host;
        std::uint32_t incarnation;
        Rules rules;
        bool nacks = true;             // voters say why they refuse; only progress depends on it
        bool votes = true;             // this host's voter may answer
        std::uint32_t fresh_disk = 0;  // the id of a disk that is found empty; 0: one after the incarnation
        std::uint32_t looks = 0;       // how often an operation only looks before its next attempt
    };

    Register() = default;
    explicit Register(Voter voter) : voter_(std::move(voter)) {}

    // The first input of an incarnation. `founders` is the first record, which a disk joins that was there
    // before the first start.
    void start(const Self& self, const Record& founders, bool first, RegisterEffects& fx);
    // Begins an operation; none may be under way. `next` are the voters after a seal.
    void begin(const Self& self, Operation kind, Change change, std::vector<VoterId> next,
               RegisterEffects& fx);
    // Tries again: some time has passed without an answer. An attempt has a new ballot.
    void retry(const Self& self, RegisterEffects& fx);
    // Gives the operation under way up. A change may still come to be.
    void give_up() { open_.reset(); }
    void receive(const Self& self, SiteId from, const RegisterMessage& message, RegisterEffects& fx);
    void synced(const Self& self, RegisterEffects& fx);
    // A host talks to its own voter without a link: delivers these sends, and what follows from them.
    void deliver_own(const Self& self, RegisterEffects& fx);
    // Somebody says that this value was returned to it.
    void learn(const Value& value);
    // Somebody says that these are the voters; `sealed` is the value that named them, if that is known.
    void use(const Record& record, const Value& sealed = {});
    // The register that the next incarnation starts from.
    Register after_crash(Disk disk) const;

    // False if a message of `sender` changes nothing, now or later: the checker forgets such messages.
    // `generations`: there will not be more of them.
    bool heeds(const Self& self, const Register& sender, std::uint32_t generations,
               const RegisterMessage& message) const;

    bool busy() const { return open_.has_value(); }
    // False for an operation that ends with its first round.
    bool may_attempt() const { return open_ && open_->kind != Operation::glance; }
    // Whether it was refused, and waits for the next attempt.
    bool is_resting() const { return open_ && open_->step == Step::resting; }
    // Ballots that the operation under way has used.
    std::uint32_t attempts() const { return open_ ? open_->attempts : 0; }
    const Voter& voter() const { return voter_; }
    // The newest value that was returned to this host.
    const Value& known() const { return known_; }
    const Record& record() const { return record_; }
    // The value that named it; that of the first generation has no `next`, and of a host that was told the
    // record alone, too.
    const Value& sealed() const { return sealed_; }

    bool operator==(const Register&) const = default;

private:
    // reading: quick; resting: refused, until the next attempt.
    enum class Step : std::uint8_t { reading, preparing, accepting, resting };
    BOOST_DESCRIBE_NESTED_ENUM(Step, reading, preparing, accepting, resting)

    struct Answer {
        SiteId voter = 0;
        Ballot accepted;
        Value value;
        bool operator==(const Answer&) const = default;
        BOOST_DESCRIBE_CLASS(Answer, (), (voter, accepted, value), (), ())
    };
    struct Open {
        Operation kind{};
        Step step{};
        std::uint32_t attempts = 0;
        std::uint32_t looks = 0;  // since the last attempt
        Question question;
        Ballot ballot;
        ValueId id;                    // of the change, if it becomes one
        ValueId expected;              // exchange: the value that it changes ...
        Stamp version;                 // ... and its version
        bool was_proposed = false;     // the change; it may have come to be
        std::uint32_t generation = 0;  // in which the operation began
        Change change;
        std::vector<VoterId> next;
        Value proposed;
        std::vector<Answer> answers;  // by voter
        bool operator==(const Open&) const = default;
        BOOST_DESCRIBE_CLASS(Open, (),
                             (kind, step, attempts, looks, question, ballot, id, expected, version,
                              was_proposed, generation, change, next, proposed, answers),
                             (), ())
    };

    // As a voter.
    void handle(const Self& self, SiteId from, const Prepare& message, RegisterEffects& fx);
    void handle(const Self& self, SiteId from, const Accept& message, RegisterEffects& fx);
    void handle(const Self& self, SiteId from, const Read& message, RegisterEffects& fx);
    void handle(const Self& self, SiteId from, const Format& message, RegisterEffects& fx);
    static bool votes(const Self& self, const Voter& voter, SiteId from, const Record& record,
                      RegisterEffects& fx);
    static bool votes_in(const Voter& voter, const Record& record);
    void refuse(const Self& self, SiteId from, const Ballot& ballot, RegisterEffects& fx) const;
    void store(const Self& self, Voter next, SiteId to, RegisterMessage reply, RegisterEffects& fx);
    void answer(const Self& self, SiteId to, RegisterMessage reply, RegisterEffects& fx);

    // As a proposer.
    void handle(const Self& self, SiteId from, const Promise& message, RegisterEffects& fx);
    void handle(const Self& self, SiteId from, const Accepted& message, RegisterEffects& fx);
    void handle(const Self& self, SiteId from, const Nack& message, RegisterEffects& fx);
    void handle(const Self& self, SiteId from, const ReadAnswer& message, RegisterEffects& fx);
    void handle(const Self& self, SiteId from, const Moved& message, RegisterEffects& fx);
    void handle(const Self& self, SiteId from, const NotYet& message, RegisterEffects& fx);
    void attempt(const Self& self, RegisterEffects& fx);
    void ask(const Self& self, RegisterEffects& fx);
    void look(const Self& self, RegisterEffects& fx);
    void propose(const Self& self, RegisterEffects& fx);
    void judge_reads(const Self& self, RegisterEffects& fx);
    void committed(const Self& self, Value value, RegisterEffects& fx);
    void go_on(const Value& sealed, RegisterEffects& fx);
    void format(const Record& record, const Value& value, RegisterEffects& fx) const;
    Record next_record() const { return {record_.generation + 1, open_->next}; }
    void finish(Value value, RegisterEffects& fx);
    void add_answer(Answer answer);
    void rest();
    bool may_look(const Self& self) const;
    bool wants_change(const Value& newest) const;
    bool is_in(Step step, const Ballot& ballot) const;
    bool asks(const Question& question) const;
    struct Heeds;
    Value changed(const Self& self, const Value& newest) const;
    std::size_t quorum(const Self& self) const;
    void send_to_voters(const RegisterMessage& message, RegisterEffects& fx) const;

    Voter voter_;                  // as it was written
    std::optional<Voter> synced_;  // as the disk has it, while a write is under way
    std::vector<std::pair<SiteId, RegisterMessage>> unsent_;  // answers that wait for the write
    Record record_;                                           // the newest that this host has heard of
    Value sealed_;                                            // the value that named it
    Value known_;
    std::uint32_t counter_ = 0;     // of the highest ballot seen
    std::uint32_t operations_ = 0;  // of this incarnation
    std::uint32_t questions_ = 0;
    std::optional<Open> open_;

    BOOST_DESCRIBE_CLASS(Register, (), (), (),
                         (voter_, synced_, unsent_, record_, sealed_, known_, counter_, operations_,
                          questions_, open_))
};

}  // namespace allot::agreement
