// Recall: voters whose disk may have been rolled back to an older copy.
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
//
// One roll-back is survived, as long as no second host forgets and there are two voters: a lone voter that
// proposes commits without a word to anybody, so nobody can remind it. In the laboratory a request of an
// application is one operation, as in `register`.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/mp11/algorithm.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/view.hpp"
#include "protocols/agreement/register_protocol.hpp"

namespace allot {

namespace agreement {

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

// How far a voter has come: the highest ballot that it promised, and whether it has accepted in it.
struct VoterRank {
    Ballot promised;
    bool accepted = false;
    auto operator<=>(const VoterRank&) const = default;
};
BOOST_DESCRIBE_STRUCT(VoterRank, (), (promised, accepted))

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

// The memory of a host beside its votes.
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

}  // namespace agreement

class Recall {
public:
    static const Model<Recall, agreement::NeverOlder> model;

    struct Config {
        std::uint32_t sites = 3;
        std::uint32_t voters = 3;
        std::uint32_t ballots = 1;
        bool nacks = false;
        bool twin = false;
        agreement::Scripts scripts;
        agreement::RecallRules recalling;
        agreement::VotingRules rules;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"voters", "number of voters; sites from 0 on vote"},
            {"ballots", "maximum of ballots that an operation tries; then it is refused"},
            {"nacks", "voters say that they refuse a ballot; without that there are fewer runs"},
            {"twin", "the last site is a second machine of site 0, with a copy of its first disk"},
            {"scripts", "operations C, I, R, Q, G or - of each site, as in QC or C,C,Q"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, voters, ballots, nacks, twin, scripts, recalling, rules), (),
                             ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    template <class... Ms>
    using FramedOr =
        std::variant<agreement::Framed<Ms>..., agreement::WhichRank, agreement::HeardRank, agreement::Copied>;
    using Message = boost::mp11::mp_rename<agreement::RegisterMessage, FramedOr>;
    enum class Timer : std::uint8_t { retry, ask };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, retry, ask)
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Synced, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    template <class M>
    void receive(const Context& ctx, SiteId from, const agreement::Framed<M>& message, Effects& fx);
    void receive(const Context& ctx, SiteId from, const agreement::WhichRank& message, Effects& fx);
    void receive(const Context& ctx, SiteId from, const agreement::HeardRank& message, Effects& fx);
    void receive(const Context& ctx, SiteId from, const agreement::Copied& message, Effects& fx);
    void synced(const Context& ctx, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    Phase phase() const { return phase_; }

    const agreement::Register& inner() const { return register_; }
    // The host that a machine calls itself.
    static SiteId host_of(const Config& config, SiteId machine) {
        return config.twin && machine == config.sites - 1 ? SiteId(0) : machine;
    }
    bool operator==(const Recall&) const = default;

private:
    using Self = agreement::Register::Self;

    template <class Action>
    void step(const Context& ctx, Effects& fx, Action&& action);
    void speak(const Context& ctx, Effects& fx);
    void ask(const Context& ctx, Effects& fx);
    void compare(const Context& ctx, const agreement::VoterRank& heard, Effects& fx);
    void throw_away(Effects& fx);
    void hear(const Context& ctx, const Peer& sender, const agreement::VoterRank& rank, Effects& fx);
    bool refuses(const Context& ctx, const Peer& sender, Effects& fx);
    void write(agreement::Memory memory, Effects& fx);
    bool is_old(const Context& ctx, const Peer& sender) const;
    bool is_copy(const Context& ctx, const Peer& sender) const;
    agreement::Memory::Heard heard_of(SiteId host) const;
    agreement::VoterRank rank() const;
    Self self_of(const Context& ctx) const;
    bool may_request(const Context& ctx) const;
    Recall after_crash(Disk disk) const;

    struct Ignores;
    static bool ignores(const Context& ctx, const Recall& receiver, const Recall& sender,
                        const Message& message);

    Phase phase_ = Phase::idle;
    std::uint32_t taken_ = 0;  // operations of the script
    agreement::Register register_;
    std::vector<SiteId> asked_;                // hosts that have not answered yet
    agreement::Memory memory_;                 // as it was written
    std::optional<agreement::Memory> synced_;  // as the disk has it, while a write is under way
    std::vector<std::pair<SiteId, agreement::RegisterMessage>> unsaid_;  // waits for the write
    std::optional<agreement::Value> returned_;                           // and so does this
    bool remembers_ = true;

    BOOST_DESCRIBE_CLASS(Recall, (), (), (),
                         (phase_, taken_, register_, asked_, memory_, synced_, unsaid_, returned_,
                          remembers_))
};

}  // namespace allot
