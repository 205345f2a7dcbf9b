#include "errata/trial.hpp"

namespace allot::errata {

namespace {

bool went_well(const std::string& outcome) {
    return outcome == "holds" || outcome == "as expected";
}

}  // namespace

Result<Trial> put_to_test(const Demonstration& demonstration, const Run& run) {
    Trial trial;
    auto found = run(demonstration.command);
    if (!found) return Error{found.error()};
    trial.found = std::move(*found);
    // The file of a scenario says which violation it expects.
    trial.shown =
        demonstration.plays_scenario() ? went_well(trial.found) : trial.found == demonstration.shows;
    if (demonstration.cure.empty()) return trial;
    auto cure_found = run(demonstration.cure);
    if (!cure_found) return Error{cure_found.error()};
    trial.cure_found = std::move(*cure_found);
    trial.cured = went_well(trial.cure_found);
    return trial;
}

}  // namespace allot::errata
