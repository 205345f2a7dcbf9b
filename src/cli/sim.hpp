// One simulation of `allot sim`, for the files that run several.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/parameters.hpp"
#include "figures/sweep.hpp"
#include "sim/simulation.hpp"

namespace allot::cli {

struct SimFlags {
    std::string protocol;
    Parameters parameters;
    std::string seed = "1";
    std::string seeds = "1";
    std::string log;
    std::string limit;
    std::string csv;
    std::string plot;
    bool json = false;
};

struct SimJob {
    const world::Entry* entry = nullptr;
    std::unique_ptr<sim::Simulation> simulation;
    std::uint64_t seed = 1;
    std::uint64_t seeds = 1;
};

Result<SimJob> prepare(const SimFlags& flags);
boost::json::object report_json(const SimJob& job, const sim::Summary& summary);
// Why a run that violated nothing still failed, one sentence each.
std::vector<std::string> standstill(const sim::Figures& figures);

// The sweep that the flags describe, if they do; the protocol is one of its parameters.
Result<std::optional<figures::Sweep>> sweep_in(const SimFlags& flags);
// Runs it, prints its table, writes its files and gives the exit code.
int run_sweep(const SimFlags& flags, const figures::Sweep& sweep);

}  // namespace allot::cli
