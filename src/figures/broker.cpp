// The broker: how many clients use resources at once, how long they wait, and the cost in messages (specs:
// broker, section 9). The paper measures nothing; it expects the token of its last section to allow far less
// concurrency.

#include <array>
#include <fmt/format.h>

#include "figures/figure.hpp"

namespace allot::figures {

namespace {

constexpr sim::Time hop = sim::millisecond;  // the mean time of a message
constexpr std::uint32_t at_once = 2;         // resources of a request
constexpr std::uint32_t use_hops = 5;

struct Load {
    const char* name;
    std::uint32_t think_hops;
    const char* popularity;
};
constexpr std::array loads{Load{"light", 50, "even"}, Load{"light, skewed", 50, "zipf"},
                           Load{"heavy", 5, "even"}, Load{"heavy, skewed", 5, "zipf"}};

struct Variant {
    const char* name;
    const char* protocol;
    Parameters parameters;
};

const std::vector<Variant>& variants() {
    static const std::vector<Variant> list{
        {"ordered-chain", "ordered-chain", {}},
        {"ring-ticket", "ring-ticket", {}},
        {"strong-weak", "strong-weak", {}},
        {"strong-weak, no promotion", "strong-weak", {{"without", "promote"}}},
        {"ring-ticket, literal", "ring-ticket", {{"literal", "on"}}},
    };
    return list;
}

Point experiment(const Variant& variant, const Load& load, std::uint32_t size) {
    Point point{variant.protocol, variant.parameters, {}};
    point.parameters["clients"] = point.parameters["resources"] = std::to_string(size);
    point.parameters["min-request"] = point.parameters["max-request"] = std::to_string(at_once);
    point.parameters["popularity"] = load.popularity;
    point.plan.latency = sim::Distribution::exponential(hop);
    point.plan.hold = sim::Distribution::exponential(use_hops * hop);
    point.plan.think = sim::Distribution::exponential(load.think_hops * hop);
    point.plan.time = {22 * sim::second};
    point.plan.warm_up = {2 * sim::second};
    return point;
}

// Without the messages of the token.
double messages_per_grant(const sim::Figures& run) {
    std::uint64_t messages = run.messages;
    for (const auto& [kind, count] : run.messages_by_kind)
        if (kind == "Token") messages -= count;
    return run.grants == 0 ? 0 : static_cast<double>(messages) / static_cast<double>(run.grants);
}

// One panel for each load; `value` is the number on the y axis.
Figure compared(std::string name, std::string shows, std::string y_label,
                const std::function<double(const sim::Figures&, std::uint32_t size)>& value) {
    Figure figure;
    figure.name = std::move(name);
    figure.paper = "Datta, Devismes, Kawala, Larmore and Potop-Butucaru (they measure nothing)";
    figure.shows = std::move(shows);
    figure.title = "Pairs of resources, as many clients as resources";
    figure.x_label = "clients";
    figure.y_label = std::move(y_label);
    figure.notes = {
        fmt::format(
            "A message takes 1 ms and a use {} ms, on average; links keep no order. Light: a pause of 50 ms "
            "between requests; heavy: 5 ms. Skewed: resource i is asked for in proportion to 1/(i+1).",
            use_hops),
        "Every request is for two resources, in an order drawn at random."};
    figure.xs = {4, 8, 16, 32, 64};
    figure.x_scale = Scale::logarithmic;
    figure.y_scale = Scale::logarithmic;
    for (const Load& load : loads) {
        for (const Variant& variant : variants())
            figure.series.push_back({variant.name, figure.panels.size(),
                                     [&](std::uint32_t size) { return experiment(variant, load, size); }});
        figure.panels.push_back({load.name, value});
    }
    return figure;
}

}  // namespace

Figure broker_use();
Figure broker_waiting();
Figure broker_messages();

Figure broker_use() {
    return compared("broker-use", "how many clients of the broker use their pairs of resources at once",
                    "clients at once", [](const sim::Figures& run, std::uint32_t size) {
                        return run.use_rate * size / at_once;
                    });
}

Figure broker_waiting() {
    return compared("broker-waiting", "how long clients of the broker wait for their pairs of resources",
                    "waiting (ms)",
                    [](const sim::Figures& run, std::uint32_t) { return run.waiting_ms.mean; });
}

Figure broker_messages() {
    Figure figure = compared("broker-messages", "what a pair of resources costs", "messages per grant",
                             [](const sim::Figures& run, std::uint32_t) { return messages_per_grant(run); });
    figure.notes.emplace_back(
        "Messages of the token are left out: it goes round whether anybody asks or not.");
    return figure;
}

}  // namespace allot::figures
