// How far this host has come: its numbers, which are on the disk before anybody hears of them, and the epochs
// that it completes, which people find in the log with the time that they took.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/boot_clock.hpp"
#include "daemon/config.hpp"
#include "daemon/host_folder.hpp"
#include "daemon/later_record.hpp"
#include "host/member.hpp"

namespace allot::daemon {

class Progress {
public:
    struct Events {
        // Writes an event and its reason into the audit log.
        std::function<void(const std::string& event, const std::string& reason)> audit;
        // Programs may hear of the newest epoch.
        std::function<void()> noted;
    };
    // `file`: the configuration without what the cluster has agreed on.
    Progress(boost::asio::io_context& loop, const Config& file, const Config& config, HostFolder& folder,
             Events events);

    void step_begins() { step_began_ = BootClock::now(); }
    // To be called after each step, before anything is sent. The number of an incarnation is on the disk when
    // this returns, that of a view later.
    void note(const host::Host& host, std::uint32_t incarnation);
    // The number of a view is being written: no program hears of a grant before it is on the disk, so that a
    // register which is put back to an earlier time cannot give the same fence again.
    // A disk that is full makes them wait until there is room.
    bool is_noting() const { return record_.is_behind(); }
    // The next incarnation has a number after this one.
    void use_up(std::uint32_t incarnation);
    // True if the host works in an epoch that was not noted yet.
    bool has_news(const host::Host& host) const {
        return host.views().works() && host.views().epoch() != shown_view_;
    }
    // To be called between the turns of the loop, when all that an epoch needs has been sent. True once after
    // each new epoch.
    bool take_new_epoch() { return std::exchange(has_new_epoch_, false); }
    // Tells the log of the newest epoch, and lets this process forget the names that it does not use.
    void finish_epoch(const host::Member& member, std::size_t report_bytes);
    // Why the numbers cannot be written; empty if they can.
    const std::string& problem() const { return record_.problem(); }

private:
    void show_epoch(const host::Host& host);
    void note_settings(const agreement::Settings& settings);
    void tell_differences(const agreement::Settings& settings) const;
    void forget_names(const host::Member& member);

    const Config& file_;
    const Config& config_;
    HostFolder& folder_;
    const Events events_;
    LaterRecord record_;
    std::optional<std::uint32_t> shown_view_;
    std::optional<agreement::Settings> noted_settings_;
    bool has_new_epoch_ = false;
    std::size_t kept_names_ = 0;  // names of resources that were used when the others were forgotten
    BootClock::time_point step_began_;
    std::chrono::microseconds frozen_for_{};             // before the newest epoch
    std::optional<BootClock::time_point> frozen_since_;  // the step that made the first report
};

}  // namespace allot::daemon
