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

constexpr seconds answer_within{2};
// Most requests are granted before anybody asks; and who waits for long does not ask often.
constexpr seconds first_look{2};
constexpr seconds longest_pause{60};

bool is_wanted(const client::Demand& demand, const session::ResourceStatus& resource) {
    if (resource.kind == "lock")
        return std::ranges::find(demand.locks(), resource.name) != demand.locks().end();
    return std::ranges::find(demand.permits(), resource.name, &client::Demand::Permit::semaphore) !=
           demand.permits().end();
}

std::string explained(const session::ResourceStatus& resource) {
    const bool cure = resource.state == "lost";
    return fmt::format("{} {}: {}{}{}", resource.kind, resource.name, resource.note,
                       resource.place.empty() ? "" : fmt::format(" ({})", resource.place),
                       cure ? "; to go on, stop all hosts, then start each with --fresh" : "");
}

}  // namespace

std::string why_waiting(const client::Options& options, const client::Demand& demand) {
    try {
        for (const session::ResourceStatus& resource : client::ask_status(options, answer_within).resources)
            if (resource.state != "available" && is_wanted(demand, resource)) return explained(resource);
    } catch (const client::Failure&) {
        // Who waits finds out by itself that there is no daemon.
    }
    return "";
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
