#include <algorithm>

#include "check/checker.hpp"
#include "check/explorer.hpp"
#include "check/liveness.hpp"
#include "check/trace.hpp"
#include "check/watchdog.hpp"
#include "walk/notation.hpp"
#include "world/properties.hpp"

namespace allot::check {

using namespace world;  // the names of properties

namespace {

class Check {
public:
    Check(walk::Machine& machine, const Options& options)
        : machine_(machine),
          options_(options),
          watchdog_(options_),
          graph_(machine, options.store, options.from_anywhere, std::max(1u, options.threads),
                 options.memory_bytes) {}

    Result run() {
        const double cpu_before = cpu_seconds();
        const Exploration explored = explore(graph_, options_, watchdog_);
        result_.states = graph_.size();
        result_.transitions = explored.transitions;
        result_.depth = explored.depth;
        result_.guesses = explored.guesses;
        result_.stopped_by = explored.stopped_by;
        result_.cut_short = !explored.stopped_by.empty();
        if (!explored.findings.empty())
            report_finding(explored.findings.front());
        else if (explored.stopped_by.empty())
            judge_liveness_of(explored);
        conclude(explored);
        if (options_.waits && result_.verdict == Verdict::holds) find_waits();
        result_.seconds = watchdog_.seconds();
        result_.cpu_seconds = cpu_seconds() - cpu_before;
        result_.bytes_per_state = static_cast<double>(peak_resident_bytes()) /
                                  static_cast<double>(std::max<std::uint64_t>(1, result_.states));
        return std::move(result_);
    }

private:
    bool asked(const PropertyName& property) const { return machine_.setup().judges(property.name); }

    void add(const std::string& property, const std::string& detail, Trace trace,
             std::optional<SiteId> site) {
        result_.violations.push_back({property, detail, std::move(trace.start), std::move(trace.steps),
                                      std::move(trace.cycle), site, trace.replayed});
    }

    void report_finding(const Finding& finding) {
        add(finding.property, finding.detail, trace_to(graph_, options_, finding), finding.site);
    }

    void judge_liveness_of(const Exploration& explored) {
        if (options_.store == StoreKind::fingerprint) {
            // The probability, about, that two of n worlds share a fingerprint.
            const auto n = static_cast<double>(result_.states);
            result_.omission_probability = n * n / 2 / 18446744073709551616.0;
            liveness_judged_ = explored.layered && asked(deadlock) && !options_.from_anywhere;
            const bool wanted =
                asked(starvation) || asked(servable) || (options_.from_anywhere && asked(convergence));
            if (!liveness_judged_ && wanted) result_.stopped_by = "liveness needs the exact store";
            return;
        }
        LivenessTask task{asked(starvation), asked(servable), options_.from_anywhere && asked(convergence),
                          asked(deadlock)};
        // Without a cycle every run ends, and the search for deadlocks has shown that no site waits where a
        // run ends.
        if (explored.layered && asked(deadlock)) task.starvation = task.servable = false;
        if (!task.starvation && !task.servable && !task.convergence) return;
        const LivenessResult live = judge_liveness(graph_, task, graph_.owners(), watchdog_);
        result_.stopped_by = live.stopped_by;
        result_.cut_short = !live.stopped_by.empty();
        if (live.diverging)
            add(std::string(convergence.name), "a fair run never reaches a legitimate world",
                trace_round(graph_, options_, *live.diverging), std::nullopt);
        if (live.starving)
            add(std::string(starvation.name),
                "site " + std::to_string(*live.starving->site) + " waits forever on a fair run",
                trace_round(graph_, options_, *live.starving), live.starving->site);
        if (live.unservable)
            add(std::string(servable.name),
                "site " + std::to_string(live.unservable->second) + " waits and can never be served",
                trace_to(graph_, options_, live.unservable->first), live.unservable->second);
    }

    // Without them the answer is not complete.
    void find_waits() {
        result_.waits = longest_waits(graph_, watchdog_, result_.stopped_by);
        result_.cut_short = !result_.stopped_by.empty();
        if (result_.cut_short) result_.verdict = Verdict::bounded;
    }

    bool is_real() const { return std::ranges::any_of(result_.violations, &Violation::replayed); }

    // A clock that jumps may serve a site that no real clock can serve; but a site that never starves can be
    // served.
    bool servable_is_shown() const {
        return result_.guesses == 0 || (asked(starvation) && result_.violations.empty());
    }

    // Why there is no verdict although everything was explored. Runs that need clocks that jump are shown all
    // the same.
    std::string undecided_by_stamps(const Exploration& explored) const {
        if (is_real()) return "";
        if (!result_.violations.empty())
            return "the violation needs renamed stamps and cannot be replayed with real ones";
        if (explored.leapt) return "a step made stamps too far ahead to be renamed";
        if (asked(servable) && !servable_is_shown())
            return "where distances of stamps are guessed, servable follows from starvation only";
        return "";
    }

    void conclude(const Exploration& explored) {
        if (result_.stopped_by.empty()) result_.stopped_by = undecided_by_stamps(explored);
        if (is_real())
            result_.verdict = Verdict::violated;
        else if (!result_.stopped_by.empty())
            result_.verdict = Verdict::bounded;
        for (const PropertyName& property : properties_of(machine_, options_.from_anywhere)) {
            const bool live = property.name == starvation.name || property.name == servable.name ||
                              property.name == convergence.name;
            const bool explored_all = explored.findings.empty() && result_.stopped_by.empty();
            const bool shown = property.name != servable.name || servable_is_shown();
            const bool judged =
                live ? explored_all && liveness_judged_ && shown : result_.violations.empty() || explored_all;
            (judged ? result_.checked : result_.unchecked).emplace_back(property.name);
        }
    }

    walk::Machine& machine_;
    const Options& options_;
    Watchdog watchdog_;
    Graph graph_;
    Result result_;
    bool liveness_judged_ = true;
};

}  // namespace

std::vector<PropertyName> properties_of(const walk::Machine& machine, bool from_anywhere) {
    std::vector<PropertyName> all(machine.facts().properties.begin(), machine.facts().properties.end());
    all.insert(all.end(), common_properties.begin(), common_properties.end());
    if (from_anywhere)
        all.insert(all.end(), properties_from_anywhere.begin(), properties_from_anywhere.end());
    std::erase_if(all, [&](const PropertyName& property) { return !machine.setup().judges(property.name); });
    return all;
}

std::string scenario_of(walk::Machine& machine, const Violation& violation) {
    std::vector<std::string> comments{violation.property + ": " + violation.detail};
    if (!violation.replayed)
        comments.emplace_back(
            "Only found with stamps renamed; with exact stamps these steps could not be replayed.");
    const std::string site = violation.site ? " " + std::to_string(*violation.site) : "";
    const bool looping = !violation.cycle.empty();
    std::string expectation = "expect violation " + violation.property;
    if (violation.property == deadlock.name) expectation = "expect stuck" + site;
    if (violation.property == servable.name) expectation = "expect unservable" + site;
    if (violation.property == starvation.name)
        expectation = (looping ? "expect starving" : "expect stuck") + site;
    return walk::scenario_text(machine, violation.start, violation.steps, violation.cycle, comments,
                               {expectation});
}

Result check(walk::Machine& machine, const Options& options) {
    return Check(machine, options).run();
}

}  // namespace allot::check
