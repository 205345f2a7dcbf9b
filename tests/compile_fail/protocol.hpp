// A protocol that compiles, with one place for each thing that must not: a file of this folder defines one of
// the macros below and includes this file.
#pragma once

#include "core/model.hpp"
#include "world/entry_of.hpp"

#ifndef MODEL_MEMBER
#define MODEL_MEMBER
#endif
#ifndef REQUIRED_MEMBER
#define REQUIRED_MEMBER .summary = "the smallest protocol",
#endif
#ifndef HANDLER
#define HANDLER release
#endif
#ifndef ALSO
#define ALSO
#endif
#ifndef PARAMETER
#define PARAMETER rounds
#endif
#ifndef EXPLAINED
#define EXPLAINED "rounds"
#endif
#ifndef TIMER
#define TIMER NoTimer
#endif
#ifndef UNDESCRIBED
#define UNDESCRIBED
#endif

namespace allot {

class Sample {
public:
    static const Model<Sample> model;
    struct Config {
        std::uint32_t sites = 2;
        std::uint32_t PARAMETER = 1;
        static constexpr Meaning meanings[]{meaning::sites, {EXPLAINED, "number of rounds"}};
        BOOST_DESCRIBE_CLASS(Config, (), (sites, PARAMETER), (), ())
    };
    struct Ping {
        bool operator==(const Ping&) const = default;
        BOOST_DESCRIBE_CLASS(Ping, (), (), (), ())
    };
    using Message = std::variant<Ping>;
    using Context = allot::Context<Config>;
    enum class Clock : std::uint8_t { tick };
    BOOST_DESCRIBE_NESTED_ENUM(Clock, tick)
    using Effects = allot::Effects<Message, TIMER>;
    using Input = allot::Input<Message ALSO>;

    void handle(const Context& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Context&, Effects&) {}
    void request(const Context&, const Demand&, Effects& fx) { fx.granted(); }
    void HANDLER(const Context&, Effects& fx) { fx.released(); }
    void receive(const Context&, SiteId, const Ping&, Effects&) {}
    void detected(const Context&, Detection, Peer, Effects&) {}
    Phase phase() const { return phase_; }
    bool prompt(const EnvelopeOf<Message>&) const { return true; }
    static void on_state(const View<Sample>&, Report&) {}

    bool operator==(const Sample&) const = default;

private:
    Phase phase_ = Phase::idle;
    UNDESCRIBED
    BOOST_DESCRIBE_CLASS(Sample, (), (), (), (phase_))
};

inline constexpr std::array sample_properties{PropertyName{"nothing", "nothing is promised"}};

inline constinit const Model<Sample> Sample::model{.name = "sample",
                                                   .problem = "none",
                                                   REQUIRED_MEMBER.links = Links::fifo,
                                                   .properties = sample_properties,
                                                   .on_state = &Sample::on_state,
                                                   MODEL_MEMBER};

inline const world::Entry sample = world::entry_of<Sample>();

}  // namespace allot
