#include "cli/waiting.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <regex>
#include <unistd.h>

#include "base/no_signals.hpp"
#include "cli/commands.hpp"
#include "client/status.hpp"

namespace allot::cli {

namespace {

using session::Party;
using session::ResourceStatus;
using session::Status;
using std::chrono::seconds;

constexpr seconds notice_within{2};
// Most requests are granted before the first look, and a long wait needs few looks.
constexpr seconds first_look{3};
constexpr seconds longest_pause{60};

// The units that the request wants of this resource; 0 if it does not name it.
std::uint64_t wanted(const client::Demand& demand, const ResourceStatus& resource) {
    if (resource.kind == "lock")
        return static_cast<std::uint64_t>(std::ranges::count(demand.locks(), resource.name));
    const auto permit =
        std::ranges::find(demand.permits(), resource.name, &client::Demand::Permit::semaphore);
    return permit == demand.permits().end() ? 0 : permit->units;
}

// The demanded resources, as the daemon knows them; nothing if it does not answer.
Status ask(const client::Options& options, const client::Demand& demand, std::chrono::milliseconds within) {
    Status status;
    try {
        status = client::ask_status(options, within);
    } catch (const client::Failure&) {
        // The request itself reports that there is no daemon.
    }
    std::erase_if(status.resources, [&](const auto& one) { return wanted(demand, one) == 0; });
    return status;
}

// --- Problems that the daemon knows of.

// A note may count the time until its end, as in "free in 1200 ms". Other digits are of names and count.
std::string without_times(const std::string& text) {
    static const std::regex time(R"(\b[0-9]+ ?(ms|s)\b)");
    return std::regex_replace(text, time, "$1");
}

Reason problem(const std::string& text) {
    return {.text = text, .key = without_times(text)};
}

Reason problem_in(const Status& status) {
    const auto wrong =
        std::ranges::find_if(status.resources, [](const auto& one) { return one.state != "available"; });
    if (wrong != status.resources.end())
        return problem(fmt::format("{} {}: {}{}", wrong->kind, wrong->name, wrong->note,
                                   wrong->place.empty() ? "" : fmt::format(" ({})", wrong->place)));
    const auto here = std::ranges::find(status.hosts, status.host, &session::HostStatus::name);
    return here == status.hosts.end() ? Reason() : problem(here->note);
}

// --- Programs that have the resource, or get it before.

std::string program(const Party& party) {
    const std::string process = party.pid == 0 ? "" : fmt::format(" by process {}", party.pid);
    const std::string command = party.command.empty() ? "" : fmt::format(" ({})", party.command);
    return fmt::format("on host {}{}{}", party.host, process, command);
}

bool is_exhausted(const client::Demand& demand, const ResourceStatus& resource) {
    return !resource.holders.empty() && units_in_use(resource) + wanted(demand, resource) > resource.capacity;
}

Reason held(const ResourceStatus& resource) {
    const Party& first = resource.holders.front();
    if (first.gone) {
        const std::string text =
            fmt::format("{} {} is kept for {}, who gives it back with `allot release {}`", resource.kind,
                        resource.name, first.user.empty() ? "somebody else" : first.user, resource.name);
        return {.text = text, .key = text};
    }
    const bool lock = resource.kind == "lock";
    const std::string what = lock ? fmt::format("lock {} is held", resource.name)
                                  : fmt::format("{} of {} units of semaphore {} are held",
                                                units_in_use(resource), resource.capacity, resource.name);
    const std::uint64_t others = resource.holders.size() - 1 + resource.more_holders;
    return {.text = fmt::format("{} {}{}", what, program(first),
                                others == 0 ? "" : fmt::format(" and {} more", others)),
            .advice = lock
                          ? fmt::format("`allot status` shows who waits, `allot release --force {}` ends the "
                                        "holder",
                                        resource.name)
                          : "`allot status` shows all holders",
            .key = fmt::format("{} {}", resource.name, program(first))};
}

// The first in the queue, if that is another program: it may wait for something else.
Reason queued(const Status& status, const ResourceStatus& resource) {
    if (resource.waiters.empty()) return {};
    const Party& first = resource.waiters.front();
    const auto is_this = [&](const Party& one) { return one.host == status.host && one.pid == ::getpid(); };
    if (is_this(first) || std::ranges::none_of(resource.waiters, is_this)) return {};
    const std::string text =
        fmt::format("{} {}: a request {} comes first", resource.kind, resource.name, program(first));
    return {.text = text, .advice = "`allot status` shows who waits", .key = text};
}

Reason reason_in(const Status& status, const client::Demand& demand) {
    if (Reason wrong = problem_in(status); !wrong.text.empty()) return wrong;
    for (const ResourceStatus& resource : status.resources)
        if (is_exhausted(demand, resource)) return held(resource);
    for (const ResourceStatus& resource : status.resources)
        if (Reason before = queued(status, resource); !before.text.empty()) return before;
    return {};
}

// --- While the request waits.

void tell_reasons(const client::Options& options, const client::Demand& demand,
                  const std::stop_token& settled) {
    const auto began = std::chrono::steady_clock::now();
    std::string told;
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    while (true) {
        const auto waited = std::chrono::floor<seconds>(std::chrono::steady_clock::now() - began);
        never.wait_for(lock, settled, waited < first_look ? first_look : std::min(waited / 2, longest_pause),
                       [] { return false; });
        if (settled.stop_requested()) return;
        const Reason why = why_waiting(options, demand, notice_within);
        if (settled.stop_requested()) return;
        if (why.text.empty() || why.key == told) continue;
        told = why.key;
        print_error(fmt::format("waits: {}{}{}", why.text, why.advice.empty() ? "" : "; ", why.advice));
    }
}

}  // namespace

Reason why_waiting(client::Options options, const client::Demand& demand, std::chrono::milliseconds within) {
    options.connect_timeout = std::min(options.connect_timeout, within);
    return reason_in(ask(options, demand, within), demand);
}

std::string why_not_renewed(client::Options options, std::chrono::milliseconds within) {
    options.connect_timeout = std::min(options.connect_timeout, within);
    const Status status = ask(options, {}, within);
    if (status.hosts.empty()) return "the daemon does not answer";
    // Before the lease of the host has ended, the daemon sees no problem yet.
    const std::string why = problem_in(status).text;
    return fmt::format("the lease was not renewed in time ({})",
                       why.empty() ? "`allot status` tells whether this host reaches the others" : why);
}

WaitingNotice::WaitingNotice(client::Options options, client::Demand demand) {
    const NoSignals meanwhile;
    thread_ = std::jthread([options = std::move(options), demand = std::move(demand)](
                               const std::stop_token& settled) { tell_reasons(options, demand, settled); });
}

}  // namespace allot::cli
