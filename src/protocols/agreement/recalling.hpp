// A register whose voters remind each other: their disks may have been rolled back to an older copy. This is
// the machine of one host; a protocol or a daemon has it as a part of its state.
//
// A rolled-back voter has forgotten promises and does not know it; its peers may. Every host remembers the
// highest rank that it has heard of each voter. A voter that starts again asks all hosts which rank they have
// heard of it, and votes when all have answered. If one has heard a higher rank than its disk has, the disk
// was rolled back: the voter throws it away and never votes with it.
//
// A host that has answered handles no message of an earlier incarnation of the voter any more: a vote that
// arrives later does not count. A host talks to its own voter without a link, so requests carry the rank of
// the sender's voter: otherwise nobody could remember the votes that a proposer has given to itself. Whatever
// a host says waits until the votes and the ranks that it depends on are on the disk.
//
// A disk may also be copied to a second machine, which then calls itself by the same name. Each of the two
// would forget what the other promises. So a host counts the votes of one machine per voter, and refuses both
// when it meets a second one.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/mp11/algorithm.hpp>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "protocols/agreement/register.hpp"

namespace allot::agreement {

// Row 6 of the specification of the register, section 10.
struct RecallRules {
    bool compare_ranks = true;
    bool ask_first = true;
    bool ask_all = true;
    bool remember = true;
    bool own_rank = true;
    bool write_first = true;
    bool new_links = true;
    bool one_machine = true;

    static constexpr Meaning meanings[]{
        {"compare_ranks", "row 6: a voter of which a higher rank was heard throws its disk away"},
        {"ask_first",
         "row 6: a voter that starts again asks before it votes; requests alone tell it too late"},
        {"ask_all", "row 6: a voter that starts again asks all hosts, not all but one"},
        {"remember", "row 6: the ranks that a host has heard outlive a crash"},
        {"own_rank", "a request tells the rank of the sender's own voter"},
        {"write_first", "a host says nothing before the ranks that it has heard are on the disk"},
        {"new_links", "a host that was asked handles no message of an earlier incarnation"},
        {"one_machine", "a host refuses both machines that it has heard with one disk"},
    };
    BOOST_DESCRIBE_CLASS(RecallRules, (),
                         (compare_ranks, ask_first, ask_all, remember, own_rank, write_first, new_links,
                          one_machine),
                         (), ())
};

// How far a voter has come: the highest ballot of its generation that it promised, and whether it has
// accepted in it. Ballots begin again with each generation.
struct VoterRank {
    std::uint32_t generation = 0;
    Ballot promised;
    bool accepted = false;
    auto operator<=>(const VoterRank&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoterRank, (), (generation, promised, accepted))

// --- Messages.

// A message of the register.
template <class M>
struct Framed : M {
    using NamedAfter = M;
    Peer sender;      // the machine
    VoterRank rank;   // of the sender's voter
    VoterRank heard;  // of the receiver's voter, as the sender has heard
    bool operator==(const Framed&) const = default;
    BOOST_DESCRIBE_CLASS(Framed, (M), (sender, rank, heard), (), ())
};

// A voter that has started again asks which rank the receiver has heard of it.
struct WhichRank {
    Peer sender;
    bool operator==(const WhichRank&) const = default;
};
BOOST_DESCRIBE_STRUCT(WhichRank, (), (sender))

struct HeardRank {
    std::uint32_t incarnation = 0;  // of the one who asked
    VoterRank rank;
    bool operator==(const HeardRank&) const = default;
};
BOOST_DESCRIBE_STRUCT(HeardRank, (), (incarnation, rank))

// Two machines have the disk of the receiver.
struct Copied {
    bool operator==(const Copied&) const = default;
};
BOOST_DESCRIBE_STRUCT(Copied, (), ())

template <class... Ms>
using FramedOr = std::variant<Framed<Ms>..., WhichRank, HeardRank, Copied>;
using RecallingMessage = boost::mp11::mp_rename<RegisterMessage, FramedOr>;

// --- The machine.

// The memory of a host beside its votes. Durable.
struct Memory {
    struct Heard {
        Peer sender;  // the newest incarnation; its links are the only ones that work
        VoterRank rank;
        bool operator==(const Heard&) const = default;
        BOOST_DESCRIBE_CLASS(Heard, (), (sender, rank), (), ())
    };
    bool thrown_away = false;  // the disk, as far as it votes
    boost::container::flat_map<SiteId, Heard> heard;
    bool operator==(const Memory&) const = default;
};
BOOST_DESCRIBE_STRUCT(Memory, (), (thrown_away, heard))

struct RecallingEffects {
    struct Send {
        SiteId to;  // a machine
        RecallingMessage message;
    };
    std::vector<Send> sends;
    bool persist = false;
    std::optional<Value> returned;
    std::vector<std::string_view> probes;

    void reached(std::string_view probe) { probes.push_back(probe); }
};

namespace probe {
inline constexpr std::string_view rolled_back = "rolled-back";
inline constexpr std::string_view copied_disk = "copied-disk";
}  // namespace probe

class Recalling {
public:
    // The surroundings of a handler.
    struct Self {
        SiteId machine;
        std::uint32_t incarnation;
        std::uint32_t machines;      // number of them: one for each host, and the twin
        std::optional<SiteId> twin;  // a second machine that calls itself host 0
        RecallRules recalling;
        Rules rules;
        bool nacks = true;
        std::uint32_t fresh_disk = 0;
        std::uint32_t looks = 0;
        bool rank_by_generation = true;
        const Settings* settings = nullptr;  // none: all hosts take part

        bool takes_part(SiteId host) const { return settings == nullptr || settings->admits(host); }
        SiteId host_of(SiteId one) const { return twin == one ? SiteId(0) : one; }
        SiteId host() const { return host_of(machine); }
    };

    Recalling() = default;
    Recalling(Voter voter, Memory memory) : register_(std::move(voter)), memory_(std::move(memory)) {}

    // The first input of an incarnation.
    void start(const Self& self, const Record& founders, bool first, RecallingEffects& fx);
    // Asks those again who have not said yet which rank they have heard.
    void ask(const Self& self, RecallingEffects& fx) const;
    bool awaits_ranks() const { return !asked_.empty(); }
    const std::vector<SiteId>& awaited() const { return asked_; }
    // Some hosts may be gone for good: it is enough that a quorum of the voters has answered.
    void make_do(const Self& self);

    // As of a register.
    void begin(const Self& self, Operation kind, Change change, RecallingEffects& fx);
    void retry(const Self& self, RecallingEffects& fx);
    void give_up();
    void receive(const Self& self, SiteId from, const RecallingMessage& message, RecallingEffects& fx);
    void synced(const Self& self, RecallingEffects& fx);
    void learn(const Value& value) { register_.learn(value); }
    // The first record is formed, and names this disk. Its voter asks first, too: an earlier one may have
    // voted with this disk before it was rolled back.
    void found(const Self& self, const Record& record, RecallingEffects& fx);
    void use(const Record& record, const Value& sealed = {}) { register_.use(record, sealed); }
    // Tells a host which record follows that of an earlier generation: it may have missed that.
    void tell_record(const Self& self, SiteId host, RecallingEffects& fx);
    Recalling after_crash(Disk disk) const;

    // False if a message of `sender` changes nothing, now or later.
    bool heeds(const Self& self, const Recalling& sender, const RecallingMessage& message) const;

    const Register& inner() const { return register_; }
    const Memory& memory() const { return memory_; }

    bool operator==(const Recalling&) const = default;

private:
    template <class M>
    void handle(const Self& self, SiteId from, const Framed<M>& message, RecallingEffects& fx);
    void handle(const Self& self, SiteId from, const WhichRank& message, RecallingEffects& fx);
    void handle(const Self& self, SiteId from, const HeardRank& message, RecallingEffects& fx);
    void handle(const Self& self, SiteId from, const Copied& message, RecallingEffects& fx);

    Register::Self inner_self(const Self& self) const;
    void ask_all(const Self& self, RecallingEffects& fx);
    template <class Action>
    void step(const Self& self, RecallingEffects& fx, Action&& action);
    void speak(const Self& self, RecallingEffects& fx);
    void compare(const Self& self, const VoterRank& heard, RecallingEffects& fx);
    void throw_away(RecallingEffects& fx);
    void hear(const Self& self, const Peer& sender, const VoterRank& rank, RecallingEffects& fx);
    bool refuses(const Self& self, const Peer& sender, RecallingEffects& fx);
    void write(Memory memory, RecallingEffects& fx);
    bool is_old(const Self& self, const Peer& sender) const;
    bool is_copy(const Self& self, const Peer& sender) const;
    Memory::Heard heard_of(SiteId host) const;
    VoterRank rank(const Self& self) const;
    struct Heeds;

    Register register_;
    std::vector<SiteId> asked_;                               // hosts that have not answered yet
    Memory memory_;                                           // as it was written
    std::optional<Memory> synced_;                            // as the disk has it, during a write
    std::vector<std::pair<SiteId, RegisterMessage>> unsaid_;  // waits for the write
    std::optional<Value> returned_;                           // and so does this
    bool remembers_ = true;

    BOOST_DESCRIBE_CLASS(Recalling, (), (), (),
                         (register_, asked_, memory_, synced_, unsaid_, returned_, remembers_))
};

}  // namespace allot::agreement
