// A protocol that compiles, with one place for each thing that must not: a file of this folder defines one of
// the macros MODEL_MEMBER, REQUIRED_MEMBER, HANDLER, ALSO or HOOK and includes this file.
#pragma once

#include "core/model.hpp"
#include "world/instance_of.hpp"

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

namespace allot {

struct Sample {
    static const Model<Sample> model;
    struct Config {
        std::uint32_t sites = 2;
        BOOST_DESCRIBE_CLASS(Config, (), (sites), (), ())
    };
    struct Ping {
        bool operator==(const Ping&) const = default;
        BOOST_DESCRIBE_CLASS(Ping, (), (), (), ())
    };
    using Message = std::variant<Ping>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message ALSO>;

    void handle(const Context& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Context&, Effects&) {}
    void request(const Context&, const Demand&, Effects& fx) { fx.granted(); }
    void HANDLER(const Context&, Effects& fx) { fx.released(); }
    void receive(const Context&, SiteId, const Ping&, Effects&) {}
    void detected(const Context&, Detection, Peer, Effects&) {}
    Phase phase() const { return Phase::idle; }
    bool prompt(const EnvelopeOf<Message>&) const { return true; }
    static void on_state(const View<Sample>&, Report&) {}

    bool operator==(const Sample&) const = default;
    BOOST_DESCRIBE_CLASS(Sample, (), (), (), ())
};

inline constexpr std::array sample_properties{PropertyName{"nothing", "nothing is promised"}};

inline constinit const Model<Sample> Sample::model{.name = "sample",
                                                   .problem = "none",
                                                   REQUIRED_MEMBER.links = Links::fifo,
                                                   .properties = sample_properties,
                                                   .on_state = &Sample::on_state,
                                                   MODEL_MEMBER};

inline const world::InstanceOf<Sample> sample(Sample::Config{});

}  // namespace allot
