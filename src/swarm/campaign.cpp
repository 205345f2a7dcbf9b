#include "swarm/campaign.hpp"

#include <algorithm>
#include <boost/mp11.hpp>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "base/stop.hpp"
#include "swarm/shrink.hpp"

namespace allot::swarm {

namespace {

void add(Faults& sum, const Faults& more) {
    boost::mp11::mp_for_each<boost::describe::describe_members<Faults, boost::describe::mod_public>>(
        [&](auto member) { sum.*member.pointer += more.*member.pointer; });
}

void lower(Extent& least, const Extent& extent, bool first) {
    boost::mp11::mp_for_each<boost::describe::describe_members<Extent, boost::describe::mod_public>>(
        [&](auto member) {
            auto& measure = least.*member.pointer;
            measure = first ? extent.*member.pointer : std::min(measure, extent.*member.pointer);
        });
}

// The part of a run that a campaign keeps.
struct Summary {
    Parameters drawn;
    std::size_t steps = 0;
    Faults faults;
    Extent extent;
    std::uint64_t probes = 0;
    std::optional<Run> kept;  // if the report shows it: it failed, or it is the only one
    std::string error;

    bool failed() const { return kept && kept->finding; }
};

class Campaigner {
public:
    Campaigner(const world::Entry& entry, const Options& options)
        : entry_(entry), options_(options), first_(options.only.value_or(0)) {
        next_ = merged_ = first_;
        end_ = options.only ? first_ + 1 : options.runs;
        for (const std::string_view name : entry.probes) campaign_.probes.emplace_back(name, 0);
    }

    Result<Campaign> run() {
        std::vector<std::jthread> helpers;
        for (unsigned i = 1; i < options_.threads; ++i) helpers.emplace_back([this] { work_safely(); });
        work_safely();
        helpers.clear();
        if (thrown_) std::rethrow_exception(thrown_);
        if (!error_.empty()) return Error{error_};
        // A run that was cut short leaves a gap; a failure behind it still counts.
        for (auto& [number, summary] : waiting_)
            if (!failed_ && summary.failed()) merge(number, summary);
        stop::reporting();
        if (shown_) tell_of(shown_->first, shown_->second);
        if (campaign_.stopped_by.empty() && !short_runs_.empty()) campaign_.stopped_by = shortfall();
        campaign_.seconds = seconds();
        return std::move(campaign_);
    }

private:
    // Passes an exception of a thread on to the caller of the campaign.
    void work_safely() {
        try {
            work();
        } catch (const stop::Due&) {
            const std::scoped_lock lock(mutex_);
            campaign_.stopped_by = stop::reason();
        } catch (...) {
            const std::scoped_lock lock(mutex_);
            if (!thrown_) thrown_ = std::current_exception();
            failing_ = true;
        }
    }

    void work() {
        while (const auto number = next_run()) {
            auto run = take_run(entry_, options_.fixed, seed_of(options_.seed, *number), options_.least);
            hand_in(*number, run ? summary_of(std::move(*run)) : Summary{.error = run.error()});
        }
    }

    Summary summary_of(Run run) const {
        Summary summary{run.drawn, run.moves.size(), run.faults, run.extent, run.probes, std::nullopt, ""};
        if (run.finding || options_.only) summary.kept = std::move(run);
        return summary;
    }

    std::optional<std::uint64_t> next_run() {
        const std::scoped_lock lock(mutex_);
        // Runs after the first failure do not count, so none begins.
        if (next_ >= end_ || failing_) return std::nullopt;
        stop::poll();
        return next_++;
    }

    // Counts runs in their order, up to the first failure.
    void hand_in(std::uint64_t number, Summary summary) {
        const std::scoped_lock lock(mutex_);
        failing_ = failing_ || summary.failed() || !summary.error.empty();
        waiting_.emplace(number, std::move(summary));
        while (!waiting_.empty() && waiting_.begin()->first == merged_ && !failed_ && error_.empty()) {
            merge(merged_++, waiting_.begin()->second);
            waiting_.erase(waiting_.begin());
        }
        tell_progress();
    }

    void merge(std::uint64_t number, Summary& summary) {
        error_ = summary.error;
        ++campaign_.runs;
        campaign_.steps += summary.steps;
        add(campaign_.faults, summary.faults);
        if (!summary.failed()) lower(campaign_.least, summary.extent, campaign_.runs == 1);
        if (!summary.failed() && !summary.extent.covers(options_.least)) short_runs_.push_back(number);
        for (std::size_t i = 0; i < campaign_.probes.size(); ++i)
            campaign_.probes[i].second += (summary.probes >> i) & 1u;
        for (const auto& [name, value] : summary.drawn) campaign_.drawn[name].insert(value);
        failed_ = summary.failed();
        if (summary.kept) shown_.emplace(number, std::move(*summary.kept));
    }

    // A run that closed too early does not show what the campaign asks for.
    std::string shortfall() const {
        std::string asked;
        for_each_member(options_.least, [&](std::string_view name, std::uint64_t count) {
            if (count > 0)
                asked += (asked.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(name);
        });
        return std::to_string(short_runs_.size()) + " of the runs ended with less than " + asked +
               "; the first of them is " + command_of(entry_, options_, short_runs_.front());
    }

    void tell_progress() {
        if (options_.on_progress) options_.on_progress({campaign_.runs, campaign_.steps});
    }

    void tell_of(std::uint64_t number, const Run& run) {
        const std::string command = command_of(entry_, options_, number);
        if (!run.finding) {
            campaign_.scenario = scenario_of(*run.machine, run.start, run.moves, std::nullopt, command);
            return;
        }
        const Shrunk shrunk = shrink(run);
        campaign_.violation = Violation{
            shrunk.finding,
            number,
            seed_of(options_.seed, number),
            scenario_of(*run.machine, run.start, shrunk.moves, shrunk.finding, command),
            run.moves.size(),
            shrunk.moves.size(),
        };
    }

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

    const world::Entry& entry_;
    const Options& options_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    const std::uint64_t first_;

    std::mutex mutex_;
    std::uint64_t next_ = 0;    // next run to take
    std::uint64_t merged_ = 0;  // next run to count
    std::uint64_t end_ = 0;
    std::map<std::uint64_t, Summary> waiting_;
    bool failing_ = false;                                // some run failed, perhaps not the first that fails
    bool failed_ = false;                                 // the first run that fails was counted
    std::optional<std::pair<std::uint64_t, Run>> shown_;  // the run of the report
    std::vector<std::uint64_t> short_runs_;               // their extent is less than the least
    std::string error_;
    std::exception_ptr thrown_;
    Campaign campaign_;
};

}  // namespace

namespace {

// Parameters that the command line has without a value.
bool is_flag(const std::string& name) {
    return name == "cancel" || name == "full" || name == "starts" || name == "orphans";
}

}  // namespace

Result<Campaign> swarm(const world::Entry& entry, const Options& options) {
    return Campaigner(entry, options).run();
}

std::string command_of(const world::Entry& entry, const Options& options, std::uint64_t run) {
    std::string command = "allot swarm " + std::string(entry.name);
    for (const auto& [name, value] : options.fixed)
        command += " --" + name + (is_flag(name) ? "" : " " + value);
    for_each_member(options.least, [&](std::string_view name, std::uint64_t count) {
        if (count > 0) command += " --" + std::string(name) + " " + std::to_string(count);
    });
    return command + " --seed " + std::to_string(options.seed) + " --run " + std::to_string(run);
}

}  // namespace allot::swarm
