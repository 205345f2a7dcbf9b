// The council: one host's part in a register that the hosts keep themselves, from the first start on. It
// forms the first record (forming.hpp), lets its voter ask what the others remember before it votes again
// (recalling.hpp), and tries an operation again until it ends. The machine of one host: the daemon and the
// laboratory's `cluster` have it beside the host (host/member.hpp).
#pragma once

#include <boost/mp11/list.hpp>
#include <optional>
#include <vector>

#include "protocols/agreement/forming.hpp"
#include "protocols/agreement/recalling.hpp"

namespace allot::agreement {

struct CouncilConfig {
    std::uint32_t hosts = 1;     // if the settings do not name them
    std::vector<SiteId> voters;  // of the first record, by number
    bool formed = false;         // the first record is there already, with the first disks of these voters
    // The newest view of an earlier register, and whether no program has run since; for a fresh disk.
    std::uint32_t view = 0;
    bool quiet = false;
    bool may_found_alone = true;  // it may form a register of which it is the only voter
    // In ticks: the pause after an attempt that nobody answers, the shortest one after a refusal, and by how
    // much the pauses of two hosts may differ.
    std::uint32_t retry_after = 1;
    std::uint32_t rest = 1;
    std::uint32_t spread = 0;
    std::uint32_t looks = 2;  // how often an operation that was disturbed only looks before its next attempt
    // Ticks after which a voter that starts again makes do with the answers of a quorum.
    std::uint32_t patience = 10;
    VotingRules voting;
    SealRules sealing;
    SuccessionRules succession;
    FormingRules forming;
    bool try_again = true;  // an operation that nobody has answered
    bool succeeds = false;  // voters may follow each other: hosts tell each other their disks
};

using CouncilMessage = boost::mp11::mp_push_back<RecallingMessage, Hello>;

struct CouncilEffects {
    struct Send {
        SiteId to;
        CouncilMessage message;
    };
    std::vector<Send> sends;
    bool persist = false;           // the files have changed: write them
    std::optional<Value> returned;  // the operation under way has ended with this value
    std::vector<std::string_view> probes;
};

class Council {
public:
    // The surroundings of a handler.
    struct Self {
        const CouncilConfig& config;
        SiteId host;
        std::uint32_t incarnation;
        const Settings& settings;      // the newest that the host knows
        std::uint32_t fresh_disk = 0;  // the id of a disk that is found empty; 0: one after the incarnation

        std::uint32_t hosts() const {
            return settings.hosts.empty() ? config.hosts : static_cast<std::uint32_t>(settings.hosts.size());
        }
    };

    // The durable part.
    struct Files {
        Papers papers;
        Voter voter;
        Memory memory;
        bool operator==(const Files&) const = default;
        BOOST_DESCRIBE_CLASS(Files, (), (papers, voter, memory), (), ())
    };

    Council() = default;
    explicit Council(Files files)
        : forming_(std::move(files.papers)), recalling_(std::move(files.voter), std::move(files.memory)) {}

    // The first input of an incarnation. `first`: of this host, ever.
    void start(const Self& self, bool first, CouncilEffects& fx);
    // A link to that host is up: it may have missed what was said before.
    void met(const Self& self, SiteId host, CouncilEffects& fx);
    // Begins an operation; none may be under way. It ends when a majority of the voters answers.
    void begin(const Self& self, Operation kind, Change change, CouncilEffects& fx);
    void receive(const Self& self, SiteId from, const CouncilMessage& message, CouncilEffects& fx);
    void synced(const Self& self, CouncilEffects& fx);
    void tick(const Self& self, CouncilEffects& fx);
    void learn(const Value& value) { recalling_.learn(value); }
    Council after_crash(Disk disk) const;

    // Whether it waits for an answer, and will ask again.
    bool is_restless() const { return inner().busy() || recalling_.awaits_ranks(); }
    // As they are to be written.
    Files files() const { return {forming_.papers(), recalling_.inner().voter(), recalling_.memory()}; }

    // For people to see: voters without which the register cannot be formed; hosts that a voter asks before
    // it votes again; whether its disk was rolled back or copied, so that it votes no more.
    std::vector<SiteId> unformed(const Self& self) const;
    const std::vector<SiteId>& awaited() const { return recalling_.awaited(); }
    // Whether it forms no register until an operator says so.
    bool awaits_operator(const Self& self) const;
    // Whether it knows who keeps the register, whatever the first list says.
    bool knows_register() const { return forming_.papers().used.has_value(); }
    bool is_thrown_away() const { return recalling_.memory().thrown_away; }
    const Register& inner() const { return recalling_.inner(); }
    // The disks of the hosts, as these have told; the own one, too.
    const boost::container::flat_map<SiteId, std::uint32_t>& disks() const { return disks_; }

    bool operator==(const Council&) const = default;

private:
    template <class Action>
    void form(const Self& self, CouncilEffects& fx, Action&& action);
    template <class Action>
    void recall(const Self& self, CouncilEffects& fx, Action&& action);
    void use_record(const Self& self, CouncilEffects& fx);
    void handle(const Self& self, SiteId from, const Hello& message, CouncilEffects& fx);
    void handle(const Self& self, SiteId from, const auto& message, CouncilEffects& fx);
    void try_again(const Self& self, CouncilEffects& fx);
    std::uint32_t pause(const Self& self) const;

    Forming forming_;
    Recalling recalling_;
    std::uint32_t waited_ = 0;   // ticks since the last attempt
    std::uint32_t unheard_ = 0;  // attempts of this operation that a voter cannot have heard
    std::uint32_t asking_ = 0;   // ticks since this voter started again
    boost::container::flat_map<SiteId, std::uint32_t> disks_;

    BOOST_DESCRIBE_CLASS(Council, (), (), (), (forming_, recalling_, waited_, unheard_, asking_, disks_))
};

}  // namespace allot::agreement
