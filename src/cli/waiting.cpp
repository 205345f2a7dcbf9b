#include "cli/waiting.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>

#include "client/status.hpp"

namespace allot::cli {

namespace {

using std::chrono::seconds;

constexpr seconds notice_within{2};
// Most requests are granted before the first look, and a long wait needs few looks.
constexpr seconds first_look{2};
constexpr seconds longest_pause{60};

bool is_wanted(const client::Demand& demand, const session::ResourceStatus& resource) {
    if (resource.kind == "lock")
        return std::ranges::find(demand.locks(), resource.name) != demand.locks().end();
    return std::ranges::find(demand.permits(), resource.name, &client::Demand::Permit::semaphore) !=
           demand.permits().end();
}

std::string explained(const session::ResourceStatus& resource) {
    return fmt::format("{} {}: {}{}", resource.kind, resource.name, resource.note,
                       resource.place.empty() ? "" : fmt::format(" ({})", resource.place));
}

// The demanded resources, as the daemon knows them; nothing if it does not answer.
session::Status ask(const client::Options& options, const client::Demand& demand,
                    std::chrono::milliseconds within) {
    session::Status status;
    try {
        status = client::ask_status(options, within);
    } catch (const client::Failure&) {
        // The request itself reports that there is no daemon.
    }
    std::erase_if(status.resources, [&](const auto& resource) { return !is_wanted(demand, resource); });
    return status;
}

std::string what_is_wrong(const session::Status& status) {
    const auto wrong =
        std::ranges::find_if(status.resources, [](const auto& one) { return one.state != "available"; });
    if (wrong != status.resources.end()) return explained(*wrong);
    const auto here = std::ranges::find(status.hosts, status.host, &session::HostStatus::name);
    return here == status.hosts.end() ? "" : here->note;
}

std::string who_holds(const session::ResourceStatus& resource) {
    const session::Party& first = resource.holders.front();
    if (first.gone)
        return fmt::format("{} {} is kept for {}, who gives it back with `allot release {}`", resource.kind,
                           resource.name, first.user, resource.name);
    const std::string process = first.pid == 0 ? "" : fmt::format(" by process {}", first.pid);
    const std::uint64_t others = resource.holders.size() - 1 + resource.more_holders;
    return fmt::format("{} {} is held on host {}{} ({}){}", resource.kind, resource.name, first.host, process,
                       first.command, others == 0 ? "" : fmt::format(" and {} more", others));
}

}  // namespace

std::string why_waiting(const client::Options& options, const client::Demand& demand) {
    return what_is_wrong(ask(options, demand, notice_within));
}

std::string why_not_granted(client::Options options, const client::Demand& demand,
                            std::chrono::milliseconds within) {
    options.connect_timeout = std::min(options.connect_timeout, within);
    const session::Status status = ask(options, demand, within);
    const auto held =
        std::ranges::find_if(status.resources, [](const auto& one) { return !one.holders.empty(); });
    const std::string wrong = what_is_wrong(status);
    return !wrong.empty() || held == status.resources.end() ? wrong : who_holds(*held);
}

WaitingNotice::WaitingNotice(client::Options options, client::Demand demand)
    : thread_([options = std::move(options), demand = std::move(demand)](const std::stop_token& granted) {
          std::mutex mutex;
          std::condition_variable_any never;
          std::unique_lock lock(mutex);
          for (seconds pause = first_look;; pause = std::min(pause * 2, longest_pause)) {
              never.wait_for(lock, granted, pause, [] { return false; });
              if (granted.stop_requested()) return;
              const std::string why = why_waiting(options, demand);
              if (why.empty() || granted.stop_requested()) continue;
              return fmt::print(stderr, "allot: waits: {}\n", why);
          }
      }) {}

}  // namespace allot::cli
