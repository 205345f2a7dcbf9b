#include "swarm/campaign.hpp"

#include <algorithm>
#include <boost/mp11.hpp>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "swarm/shrink.hpp"

namespace allot::swarm {

namespace {

void add(Faults& sum, const Faults& more) {
    boost::mp11::mp_for_each<boost::describe::describe_members<Faults, boost::describe::mod_public>>(
        [&](auto member) { sum.*member.pointer += more.*member.pointer; });
}

// The part of a run that a campaign keeps.
struct Summary {
    Parameters drawn;
    std::size_t steps = 0;
    Faults faults;
    std::uint64_t probes = 0;
    bool failed = false;
    std::string error;
};

class Campaigner {
public:
    Campaigner(const world::Entry& entry, const Options& options)
        : entry_(entry), options_(options), first_(options.only.value_or(0)) {
        next_ = merged_ = first_;
        end_ = options.only ? first_ + 1 : options.runs;
    }

    Result<Campaign> run() {
        if (const auto wrong = prepare()) return Error{*wrong};
        std::vector<std::jthread> helpers;
        for (unsigned i = 1; i < options_.threads; ++i) helpers.emplace_back([this] { work_safely(); });
        work_safely();
        helpers.clear();
        if (thrown_) std::rethrow_exception(thrown_);
        if (!error_.empty()) return Error{error_};
        if (failed_ || options_.only) tell_of(failed_.value_or(first_));
        campaign_.seconds = seconds();
        return std::move(campaign_);
    }

private:
    // Finds bad parameters before any thread starts.
    std::optional<std::string> prepare() {
        auto run = take_run(entry_, options_.fixed, seed_of(options_.seed, first_));
        if (!run) return run.error();
        for (const std::string_view name : run->machine->facts().probes)
            campaign_.probes.emplace_back(name, 0);
        return std::nullopt;
    }

    // Passes an exception of a thread on to the caller of the campaign.
    void work_safely() {
        try {
            work();
        } catch (...) {
            const std::scoped_lock lock(mutex_);
            if (!thrown_) thrown_ = std::current_exception();
            failing_ = true;
        }
    }

    void work() {
        while (const auto number = next_run()) {
            Summary summary;
            auto run = take_run(entry_, options_.fixed, seed_of(options_.seed, *number));
            if (run)
                summary = {std::move(run->drawn), run->moves.size(),        run->faults,
                           run->probes,           run->finding.has_value(), ""};
            else
                summary.error = run.error();
            hand_in(*number, std::move(summary));
        }
    }

    std::optional<std::uint64_t> next_run() {
        const std::scoped_lock lock(mutex_);
        // Runs after the first failure do not count, so none begins.
        if (next_ >= end_ || failing_) return std::nullopt;
        if (options_.limit_seconds && seconds() >= *options_.limit_seconds) {
            campaign_.out_of_time = true;
            return std::nullopt;
        }
        return next_++;
    }

    // Counts runs in their order, up to the first failure.
    void hand_in(std::uint64_t number, Summary summary) {
        const std::scoped_lock lock(mutex_);
        failing_ = failing_ || summary.failed || !summary.error.empty();
        waiting_.emplace(number, std::move(summary));
        while (!waiting_.empty() && waiting_.begin()->first == merged_ && !failed_ && error_.empty()) {
            merge(merged_++, waiting_.begin()->second);
            waiting_.erase(waiting_.begin());
        }
        tell_progress();
    }

    void merge(std::uint64_t number, const Summary& summary) {
        error_ = summary.error;
        ++campaign_.runs;
        campaign_.steps += summary.steps;
        add(campaign_.faults, summary.faults);
        for (std::size_t i = 0; i < campaign_.probes.size(); ++i)
            campaign_.probes[i].second += (summary.probes >> i) & 1u;
        for (const auto& [name, value] : summary.drawn) campaign_.drawn[name].insert(value);
        if (summary.failed) failed_ = number;
    }

    void tell_progress() {
        if (!options_.on_progress || seconds() < last_told_ + 0.1) return;
        last_told_ = seconds();
        options_.on_progress({campaign_.runs, campaign_.steps, last_told_});
    }

    // Repeats the run with its steps.
    void tell_of(std::uint64_t number) {
        const std::uint64_t seed = seed_of(options_.seed, number);
        const auto run = take_run(entry_, options_.fixed, seed);
        const std::string command = command_of(entry_, options_, number);
        if (!run->finding) {
            campaign_.scenario = scenario_of(*run->machine, run->start, run->moves, std::nullopt, command);
            return;
        }
        const Shrunk shrunk = shrink(*run);
        campaign_.violation = Violation{
            shrunk.finding,
            number,
            seed,
            scenario_of(*run->machine, run->start, shrunk.moves, shrunk.finding, command),
            run->moves.size(),
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
    bool failing_ = false;                 // some run failed, perhaps not the first that fails
    std::optional<std::uint64_t> failed_;  // the first run that fails
    std::string error_;
    std::exception_ptr thrown_;
    double last_told_ = 0;
    Campaign campaign_;
};

}  // namespace

Result<Campaign> swarm(const world::Entry& entry, const Options& options) {
    return Campaigner(entry, options).run();
}

std::string command_of(const world::Entry& entry, const Options& options, std::uint64_t run) {
    std::string command = "allot swarm " + std::string(entry.name);
    for (const auto& [name, value] : options.fixed)
        command += " --" + name + (name == "cancel" || name == "full" ? "" : " " + value);
    return command + " --seed " + std::to_string(options.seed) + " --run " + std::to_string(run);
}

}  // namespace allot::swarm
