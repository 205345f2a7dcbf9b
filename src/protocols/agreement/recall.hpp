// Recall: voters whose disks may have been rolled back, or copied to a second machine, remind each other
// (recalling.hpp).
//
// One roll-back is survived, as long as no second host forgets and there are two voters: a lone voter that
// proposes commits without a word to anybody, so nobody can remind it. In the laboratory a request of an
// application is one operation, as in `register`.
#pragma once

#include <optional>
#include <string>

#include "core/view.hpp"
#include "protocols/agreement/recalling.hpp"
#include "protocols/agreement/register_protocol.hpp"

namespace allot {

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

    using Message = agreement::RecallingMessage;
    enum class Timer : std::uint8_t { retry, ask };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, retry, ask)
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Synced, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const auto& message, Effects& fx) {
        take(ctx, from, message, fx);
    }
    void synced(const Context& ctx, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    Phase phase() const { return phase_; }

    const agreement::Register& inner() const { return recalling_.inner(); }
    // The host that a machine calls itself.
    static SiteId host_of(const Config& config, SiteId machine) {
        return config.twin && machine == config.sites - 1 ? SiteId(0) : machine;
    }
    bool operator==(const Recall&) const = default;

private:
    using Self = agreement::Recalling::Self;

    template <class Action>
    void step(const Context& ctx, Effects& fx, Action&& action);
    void take(const Context& ctx, SiteId from, const Message& message, Effects& fx);
    static Self self_of(const Context& ctx);
    bool may_request(const Context& ctx) const;
    Recall after_crash(Disk disk) const;
    static bool ignores(const Context& ctx, const Recall& receiver, const Recall& sender,
                        const Message& message);

    Phase phase_ = Phase::idle;
    std::uint32_t taken_ = 0;  // operations of the script
    agreement::Recalling recalling_;

    BOOST_DESCRIBE_CLASS(Recall, (), (), (), (phase_, taken_, recalling_))
};

}  // namespace allot
