// The register in the laboratory: hosts that take operations on it, one after the other, as a script says.
//
// A request of an application is one operation, and its grant is the result, with the version of the value as
// its fence. The first `voters` sites are the voters; any site may propose. A script has one letter for each
// operation of a site and begins again after the last:
//     C  compare-and-set of the newest value that the site knows      S  seal: the next voters take over
//     I  a change of whichever value is the newest                    R  a read by an attempt
//     Q  a quick read                                                 G  a quick read that never attempts
//     -  the site asks for nothing
#pragma once

#include <boost/container/flat_map.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/view.hpp"
#include "protocols/agreement/register.hpp"

namespace allot {

namespace agreement {

// One script for all sites, or one for each: `QC` or `C,C,Q`.
class Scripts {
public:
    static Result<Scripts> parse(std::string_view name, std::string_view text);
    const std::string& text() const { return text_; }

    std::size_t size() const { return scripts_.size(); }
    // The operation that a site takes after so many others; nothing if it takes none.
    std::optional<Operation> operation(SiteId site, std::uint32_t taken) const;
    // Whether some site ends a generation.
    bool seal() const { return text_.find('S') != std::string::npos; }
    bool operator==(const Scripts&) const = default;

private:
    std::string text_ = "C";
    std::vector<std::string> scripts_{"C"};

    BOOST_DESCRIBE_CLASS(Scripts, (), (), (), (text_))
};

// No operation returns an older value than one that ended before it began.
struct NeverOlder {
    Stamp newest;                                        // returned so far
    boost::container::flat_map<SiteId, Stamp> at_least;  // by site: the newest when its operation began

    void observe(const Event& event, Report& report);
    bool operator==(const NeverOlder&) const = default;
};
BOOST_DESCRIBE_STRUCT(NeverOlder, (), (newest, at_least))

}  // namespace agreement

class RegisterProtocol {
public:
    static const Model<RegisterProtocol, agreement::NeverOlder> model;

    struct Config {
        std::uint32_t sites = 3;
        std::uint32_t voters = 3;
        std::uint32_t ballots = 1;
        std::uint32_t shift = 1;
        std::uint32_t seals = 1;
        std::uint32_t looks = 0;
        bool nacks = true;
        bool lone_runs = false;
        agreement::Scripts scripts;
        agreement::Rules rules;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"voters", "number of voters; sites from 0 on vote"},
            {"ballots", "maximum of ballots that an operation tries; then it is refused"},
            {"shift", "the voters after a seal have numbers that are so much higher"},
            {"seals", "maximum of generations that are sealed; then S reads"},
            {"looks", "how often an operation that was disturbed only looks before its next attempt"},
            {"nacks", "voters say why they refuse; without that there are fewer runs"},
            {"lone_runs", "in each world, check that a proposer alone with a majority ends in two ballots"},
            {"scripts", "operations C, I, R, Q, G, S or - of each site, as in QC or C,C,Q"},
        };
        BOOST_DESCRIBE_CLASS(Config, (),
                             (sites, voters, ballots, shift, seals, looks, nacks, lone_runs, scripts, rules),
                             (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    using Message = agreement::RegisterMessage;
    enum class Timer : std::uint8_t { retry };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, retry)
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Synced, input::Timeout<Timer>>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const auto& message, Effects& fx) {
        step(ctx, fx, [&](const auto& self, auto& out) { register_.receive(self, from, message, out); });
    }
    void synced(const Context& ctx, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    Phase phase() const { return phase_; }

    const agreement::Register& inner() const { return register_; }
    const std::vector<agreement::Value>& known_before() const { return known_before_; }
    bool operator==(const RegisterProtocol&) const = default;

private:
    using Self = agreement::Register::Self;

    template <class Action>
    void step(const Context& ctx, Effects& fx, Action&& action);
    void act(agreement::RegisterEffects& out, Effects& fx);
    bool may_request(const Context& ctx) const;
    RegisterProtocol after_crash(Disk disk) const;
    std::vector<agreement::VoterId> successors(const Context& ctx) const;
    static Self self_of(const Context& ctx) {
        return {.host = ctx.self,
                .incarnation = ctx.incarnation,
                .rules = ctx.config.rules,
                .nacks = ctx.config.nacks,
                .looks = ctx.config.looks};
    }
    static void on_state(const View<RegisterProtocol>& view, Report& report);
    static void check_lone_runs(const View<RegisterProtocol>& view, Report& report);
    static bool ignores(const Context& ctx, const RegisterProtocol& receiver, const RegisterProtocol& sender,
                        const Message& message);

    Phase phase_ = Phase::idle;
    std::uint32_t taken_ = 0;  // operations of the script
    agreement::Register register_;
    std::vector<agreement::Value> known_before_;  // the newest value of each incarnation that has crashed

    BOOST_DESCRIBE_CLASS(RegisterProtocol, (), (), (), (phase_, taken_, register_, known_before_))
};

}  // namespace allot
