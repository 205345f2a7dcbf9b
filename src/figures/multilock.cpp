#include "figures/multilock.hpp"

namespace allot::figures::multilock {

namespace {

constexpr sim::SizedTime use{5 * sim::millisecond, 35 * sim::millisecond, 50};

sim::Distribution pause(std::uint32_t phi, double rho) {
    double uses = 0;
    for (std::uint32_t size = 1; size <= phi; ++size) uses += use.mean(size, resources);
    const double cycle = uses / phi + static_cast<double>(message_time);
    return sim::Distribution::exponential(static_cast<sim::Time>(rho * cycle));
}

Contestant control_token(const std::string& reading) {
    return {"control token, " + reading, "control-token", {{"control", reading}}};
}

}  // namespace

const Contestant& ideal() {
    static const Contestant contestant{"ideal", "ideal", {{"policy", "fit"}}, 0};
    return contestant;
}

const Contestant& counters() {
    static const Contestant contestant{"counters", "counters", {{"improve", "stop,single"}, {"loans", "0"}}};
    return contestant;
}

const Contestant& counters_loans() {
    static const Contestant contestant{
        "counters, loans", "counters", {{"improve", "stop,single"}, {"loans", "1"}}};
    return contestant;
}

const Contestant& counters_improved() {
    static const Contestant contestant{
        "counters, improved", "counters", {{"improve", "all"}, {"loans", "1"}}};
    return contestant;
}

const Contestant& control_pass() {
    static const Contestant contestant = control_token("pass");
    return contestant;
}

const std::vector<Contestant>& all_contestants() {
    static const std::vector<Contestant> list{
        ideal(),
        counters(),
        counters_loans(),
        counters_improved(),
        {"incremental", "incremental", {}},
        control_pass(),
        control_token("hold"),
        control_token("lock"),
        control_token("section"),
        {"ideal, fifo", "ideal", {{"policy", "fifo"}}, 0},
    };
    return list;
}

Point experiment(const Contestant& contestant, std::uint32_t phi, double rho) {
    Point point{contestant.protocol, contestant.parameters, {}};
    point.parameters["sites"] = std::to_string(sites);
    point.parameters["resources"] = std::to_string(resources);
    point.parameters["max-request"] = std::to_string(phi);
    point.plan.time = {8 * sim::second};
    point.plan.warm_up = {sim::second};
    point.plan.think = pause(phi, rho);
    point.plan.hold = use;
    point.plan.latency = sim::Distribution::constant(contestant.latency);
    return point;
}

std::vector<std::string> notes() {
    return {
        "counters: the paper's algorithm, repaired, with both of its optimisations; loans: a site that lacks "
        "one resource asks for a loan; improved: with everything in --improve all.",
        "control token: Bouabdallah and Laforest. The control token is passed on at once (pass), when every "
        "inquiry is answered (hold), when the requester enters (lock), or when it leaves (section).",
        "ideal: a scheduler that knows everything at no cost, and lets in whoever fits; fifo: but nobody "
        "before an older request for the same resource.",
    };
}

}  // namespace allot::figures::multilock
