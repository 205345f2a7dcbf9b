#include "cli/commands.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "base/did_you_mean.hpp"
#include "base/duration.hpp"
#include "base/harmless.hpp"
#include "base/stop.hpp"
#include "core/graph.hpp"
#include "registry/registry.hpp"

namespace allot::cli {

std::string program_name() {
    return program_invocation_short_name;
}

std::string examples(const std::string& command, const std::vector<std::string>& words) {
    const auto all = registry::protocols();
    std::string text;
    for (const std::string& line : words)
        if (std::ranges::count(all, line.substr(0, line.find(' ')), &world::Entry::name) > 0)
            text += fmt::format("  {} {} {}\n", program_name(), command, line);
    if (text.empty()) text = fmt::format("  {} {} {}\n", program_name(), command, all.front().name);
    return "Examples:\n" + text;
}

std::string abridged(const std::string& message) {
    constexpr std::size_t part = 600;
    if (message.size() <= 2 * part) return message;
    return message.substr(0, part) + " ... " + message.substr(message.size() - part);
}

void print_error(const std::string& message) {
    std::fputs((program_name() + ": " + harmless(abridged(message)) + "\n").c_str(), stderr);
}

int wrong_usage(const std::string& message) {
    print_error(message);
    return exit_usage;
}

int failed(const std::string& message) {
    print_error(message);
    return exit_no;
}

void say_caveat(const std::optional<std::string>& caveat) {
    if (caveat) print_error(*caveat);
}

Result<const world::Entry*> find_protocol(const std::string& name) {
    std::vector<std::string> known;
    for (const world::Entry& entry : registry::protocols()) {
        if (entry.name == name) return &entry;
        known.emplace_back(entry.name);
    }
    return Error{
        fmt::format("{}: no such protocol; there is {}{}", name, listed(known), did_you_mean(name, known))};
}

Result<std::size_t> parse_bytes(std::string_view name, std::string_view text) {
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const double factor = unit == "G" ? 1u << 30 : unit == "M" ? 1u << 20 : unit == "K" ? 1u << 10 : 0;
    if (failure == std::errc{} && value > 0 && factor > 0 && value * factor < 1e15)
        return static_cast<std::size_t>(value * factor);
    return Error{fmt::format("--{} {}: write a size, as in 4G or 512M", name, text)};
}

Result<double> parse_seconds(std::string_view name, std::string_view text) {
    const auto time = parse_duration(text);
    if (time && time->count() > 0) return std::chrono::duration<double>(*time).count();
    return Error{fmt::format("--{} {}: write a time, as in 60s, 500ms or 2m{}", name, text,
                             time ? ", and more than 0" : "")};
}

std::optional<std::string> start_limit(const std::string& limit) {
    stop::on_signals();
    stop::within(std::nullopt);
    if (limit.empty()) return std::nullopt;
    const auto seconds = parse_seconds("limit", limit);
    if (!seconds) return seconds.error();
    stop::within(*seconds);
    return std::nullopt;
}

namespace {

// Stops reading at the limit: some files, such as /dev/zero, have no end.
Result<std::string> read_stream(const std::string& name, std::istream& stream) {
    constexpr std::size_t limit_mib = 256;
    std::string text;
    std::array<char, 1 << 16> piece{};
    while (stream.read(piece.data(), piece.size()) || stream.gcount() > 0) {
        text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
        if (text.size() > limit_mib << 20)
            return Error{fmt::format("{}: larger than {} MiB; write a shorter scenario", name, limit_mib)};
    }
    return text;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
    if (path == "-") return read_stream(path, std::cin);
    std::ifstream file(path);
    if (!file || std::filesystem::is_directory(path))
        return Error{fmt::format("{}: no such file, or it cannot be read", path)};
    return read_stream(path, file);
}

}  // namespace allot::cli
