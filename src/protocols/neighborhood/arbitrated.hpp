// A protocol made of arbiters: combines the Rules of `inclusion`, `exclusion`, `composition` or `sidetrack`
// with the one machine that all of them run.
//
// To hold is to be in service, so sites may hold from the start. A site that enters waits; a site that leaves
// service is leaving, and stays in service until the protocol says `released`.
#pragma once

#include "base/ensure.hpp"
#include "core/model.hpp"
#include "protocols/neighborhood/arbiter.hpp"
#include "protocols/neighborhood/prompt.hpp"

namespace allot::neighborhood {

template <class Rules>
class Arbitrated : public Arbiter {
public:
    // A reference, because the model of a template is not complete before the template is.
    static const Model<Arbitrated>& model;

    using Config = typename Rules::Config;
    using Context = allot::Context<Config>;
    using Input = allot::Input<Message>;

    static std::optional<std::string> config_error(const Config& config) {
        auto reason = ill_written(config);
        if (!reason) reason = Rules::config_error(config);
        if (!reason) reason = startless(config);
        if (!reason) reason = hopeless(config);
        if (reason) *reason += default_bounds_note(config, Config());
        return reason;
    }
    static std::optional<std::string> caveat(const Config& config) { return uncertain(config); }
    static bool mortal(const Context&) { return false; }

    void handle(const Context& ctx, const Input& input, Effects& fx) { dispatch(*this, ctx, input, fx); }
    void start(const Context& ctx, Effects&) { Arbiter::start(here(ctx)); }
    void request(const Context& ctx, const Demand&, Effects& fx) {
        ensure(phase() == Phase::idle, "a request while another is open");
        begin(here(ctx), Phase::waiting, fx);
        after_step(ctx, fx);
    }
    void release(const Context& ctx, Effects& fx) {
        ensure(phase() == Phase::holding, "a site that is not in service leaves it");
        begin(here(ctx), Phase::leaving, fx);
        after_step(ctx, fx);
    }
    template <class Letter>
    void receive(const Context& ctx, SiteId from, const Letter& letter, Effects& fx) {
        Arbiter::receive(here(ctx), from, letter, fx);
        after_step(ctx, fx);
    }

    static void on_state(const View<Arbitrated>& view, Report& report) {
        std::vector<const Arbiter*> sites;
        for (const auto* site : view.sites) sites.push_back(&site->protocol);
        std::vector<Nomination> under_way;
        for (const auto* envelope : view.flight)
            if (const auto* trigger = std::get_if<Trigger>(&envelope->message))
                under_way.push_back({envelope->to, trigger->tag});
        check_arbiters(view.config, sites, under_way, report);
    }

    bool operator==(const Arbitrated&) const = default;

private:
    static Here here(const Context& ctx) { return {ctx.config, ctx.config.repairs, ctx.self}; }
    void after_step(const Context& ctx, Effects& fx) {
        if (ctx.config.leads == ctx.self) nominate(here(ctx), fx);
    }

    BOOST_DESCRIBE_CLASS(Arbitrated, (Arbiter), (), (), ())
};

// The properties of all protocols made of arbiters.
inline constexpr std::array arbiter_properties{
    PropertyName{"within-bounds", "in each neighbourhood at least l and at most k sites are in service"},
    PropertyName{"caps-kept",
                 "an arbiter gives away no more permissions than it has, and its reserve only to nominees"},
    PropertyName{"used-with-permission",
                 "a site that is in service, or out, has the permission of its whole neighbourhood"},
    PropertyName{"one-entry", "an arbiter keeps at most one request of a site"},
    PropertyName{"asked-back-is-granted", "an arbiter asks back only permissions that it has given away"},
    PropertyName{"grants-known", "a site that counts on a permission has it"},
    PropertyName{"one-nominee", "there is at most one nominee at a time"},
    PropertyName{"none-kept-back", "no site waits for a permission that is available"},
};

template <class Rules>
inline constexpr Model<Arbitrated<Rules>> arbitrated_model{
    .name = Rules::name,
    .problem = "neighborhood",
    .summary = Rules::summary,
    .source = paper,
    .links = Links::fifo,
    .properties = arbiter_properties,
    .on_state = &Arbitrated<Rules>::on_state,
    .probes = Rules::probes,
    .derive = [](typename Rules::Config& config) { config.derive(); },
    .config_error = &Arbitrated<Rules>::config_error,
    .founders = [](const typename Rules::Config& config) { return config.founders; },
    .caveat = &Arbitrated<Rules>::caveat,
    .sample = &Rules::sample,
    .requests = {.forever = true},
    .faults = {.mortal = &Arbitrated<Rules>::mortal},
    .reduction = {.prompt = &is_to_itself<Arbiter::Message>, .clock = &Arbiter::clock},
};
template <class Rules>
constinit const Model<Arbitrated<Rules>>& Arbitrated<Rules>::model = arbitrated_model<Rules>;

}  // namespace allot::neighborhood
