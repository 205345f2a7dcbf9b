#include "errata/trial.hpp"

#include <array>
#include <boost/json.hpp>
#include <boost/tokenizer.hpp>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ensure.hpp"

namespace allot::errata {

namespace {

constexpr const char* this_program = "/proc/self/exe";

// As a shell splits them; quotes keep together what belongs together.
std::vector<std::string> words_of(const std::string& command) {
    const boost::escaped_list_separator<char> spaces("\\", " ", "\"'");
    const boost::tokenizer<boost::escaped_list_separator<char>> words(command, spaces);
    return {words.begin(), words.end()};
}

std::string read_all(int file) {
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t size = 0; (size = read(file, piece.data(), piece.size())) > 0;)
        text.append(piece.data(), static_cast<std::size_t>(size));
    return text;
}

// What this program prints, errors included, when it is started anew with these words.
std::string output_of(std::vector<std::string> words) {
    std::array<int, 2> ends{};
    ensure(pipe2(ends.data(), O_CLOEXEC) == 0, "no pipe to a program of our own");
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int failure = posix_spawn(&child, this_program, &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    std::string text = failure == 0 ? read_all(ends[0]) : "it could not be started";
    close(ends[0]);
    if (failure == 0) waitpid(child, nullptr, 0);
    return text;
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// The properties that a check found violated, or that somebody may wait for any time, or its verdict.
std::string outcome_of_check(const boost::json::object& report) {
    std::string found;
    for (const auto& violation : report.at("violations").as_array())
        found += (found.empty() ? "" : ", ") + std::string(violation.at("property").as_string());
    if (!found.empty()) return found;
    for (const auto& wait : report.at("waits").as_array())
        if (wait == "any") return "waits of any length";
    return std::string(report.at("verdict").as_string());
}

// What a simulation found violated, or that somebody waits at the end who should not.
std::string outcome_of_sim(const boost::json::object& report) {
    for (const auto& violation : report.at("violations").as_array())
        return std::string(violation.at("property").as_string());
    if (report.at("stalled").to_number<std::uint64_t>() > 0) return "stalled";
    if (report.at("left_behind").to_number<std::uint64_t>() > 0) return "left behind";
    return "holds";
}

// The first file that did not play as it expects, or that all did.
std::string outcome_of_play(const boost::json::array& files) {
    for (const auto& file : files)
        if (!file.at("ok").as_bool()) return std::string(file.at("message").as_string());
    return "as expected";
}

bool went_well(const std::string& outcome) {
    return outcome == "holds" || outcome == "as expected";
}

}  // namespace

std::string outcome_of(const std::string& command) {
    std::vector<std::string> words = words_of(command);
    words.emplace_back("--json");
    const std::string text = output_of(std::move(words));
    boost::system::error_code failure;
    const boost::json::value report = boost::json::parse(text, failure);
    if (failure) return first_line(text);
    if (report.is_array()) return outcome_of_play(report.as_array());
    const boost::json::object& object = report.as_object();
    return object.contains("stalled") ? outcome_of_sim(object) : outcome_of_check(object);
}

Trial put_to_test(const Demonstration& demonstration, const Run& run) {
    Trial trial;
    trial.found = run(demonstration.command);
    // A scenario file itself says which violation it expects.
    trial.shown =
        demonstration.plays_scenario() ? went_well(trial.found) : trial.found == demonstration.shows;
    if (demonstration.cure.empty()) return trial;
    trial.cure_found = run(demonstration.cure);
    trial.cured = went_well(trial.cure_found);
    return trial;
}

}  // namespace allot::errata
