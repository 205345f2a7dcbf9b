#include "daemon/progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "core/resource_names.hpp"
#include "core/visit.hpp"
#include "daemon/settings_text.hpp"

namespace allot::daemon {

Progress::Progress(boost::asio::io_context& loop, const Config& file, const Config& config,
                   HostFolder& folder, Events events)
    : file_(file),
      config_(config),
      folder_(folder),
      events_(std::move(events)),
      record_(loop, folder.memory_file(), events_.noted) {}

void Progress::note(const host::Host& host, std::uint32_t incarnation) {
    if (host.views().is_frozen() && !frozen_since_) frozen_since_ = step_began_;
    const std::uint32_t view = host.views().epoch().value_or(0);
    if (incarnation > folder_.memory().incarnation) use_up(incarnation);
    if (view > folder_.memory().view) {
        HostFolder::Memory memory = folder_.memory();
        memory.view = view;
        memory.quiet = false;
        record_.write(folder_.record_of(memory));
    }
    if (has_news(host)) show_epoch(host);
}

void Progress::use_up(std::uint32_t incarnation) {
    HostFolder::Memory memory = folder_.memory();
    memory.incarnation = std::max(memory.incarnation, incarnation);
    durable::Record record = folder_.record_of(memory);
    if (!record_.write_now(record)) record_.write(std::move(record));
}

void Progress::show_epoch(const host::Host& host) {
    shown_view_ = host.views().epoch();
    has_new_epoch_ = true;
    std::vector<std::string> names;
    for (const Peer& member : host.views().members()) names.push_back(config_.name_of(member.site));
    const std::string text = fmt::format("view {}: {}", *shown_view_, fmt::join(names, ", "));
    log_info(text);
    // From the first report after the last epoch until now.
    const auto since = std::exchange(frozen_since_, std::nullopt).value_or(step_began_);
    frozen_for_ = std::chrono::duration_cast<std::chrono::microseconds>(BootClock::now() - since);
    events_.audit("view", text);
}

void Progress::tell_differences(const agreement::Settings& settings) const {
    for (const Contradiction& one : contradictions(file_, settings))
        log_warning(fmt::format("{} is {} in the file of this host; the cluster has {}, which counts",
                                one.name, one.in_file, one.in_cluster));
    const auto is_known = [](const std::vector<Config::Host>& hosts, const std::string& name) {
        return std::ranges::find(hosts, name, &Config::Host::name) != hosts.end();
    };
    for (const auto& [name, address] : file_.addresses)
        if (!is_known(file_.hosts, name) && !is_known(settings.hosts, name))
            log_warning(fmt::format(
                "addresses.{}: the cluster has no host of this name; correct it, or let that host join",
                name));
}

// The next daemon knows them before it has joined. The register has them anyway, so that a disk that cannot
// be written to does no harm.
void Progress::note_settings(const agreement::Settings& settings) {
    if (noted_settings_ == settings) return;
    if (!noted_settings_)
        tell_differences(settings);
    else
        for (const std::string& one : differences(*noted_settings_, settings)) log_info(one);
    noted_settings_ = settings;
    if (const auto noted = folder_.note_settings(settings); !noted) log_error(noted.error());
}

void Progress::finish_epoch(const host::Member& member, std::size_t report_bytes) {
    log_info(fmt::format("view {}: frozen for {} us, report of {} bytes", *shown_view_, frozen_for_.count(),
                         report_bytes));
    note_settings(member.host().settings_in_force());
    forget_names(member);
}

// A new epoch knows only what somebody uses or waits for, and so does this process then. To look for that
// takes time, so there must be much to forget.
void Progress::forget_names(const host::Member& member) {
    const std::size_t known = known_resource_names();
    if (member.host().is_asking()) return;  // the engine has names of its own until it is answered
    if (known < 2 * kept_names_ + config_.limits.names / 4) return;
    std::unordered_set<std::string_view> used;
    for (const auto& [name, semaphore] : config_.semaphores) used.insert(name);
    for_each_of<ResourceId>(member, [&](ResourceId resource) { used.insert(resource.name()); });
    keep_resource_names(used);
    kept_names_ = known_resource_names();
    log_info(fmt::format("forgot {} of {} names of resources", known - kept_names_, known));
}

}  // namespace allot::daemon
