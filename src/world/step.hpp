// One step of one site: an input goes in, the handler runs, its effects reach the application and the
// timers, and the contract between protocol and application is checked. Every driver calls this;
// what becomes of the messages in `fx` is each driver's own business.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "world/instance.hpp"
#include "world/properties.hpp"

namespace allot::world {

enum class InputKind : std::uint8_t {
    start,
    request,
    release,
    cancel,
    leave,
    deliver,
    timeout,
    trusted,  // from here on in the order of Detection
    dead,
    suspected,
    reconnected,
    departed,
    stopped,
    interrupted,  // the link has lost a message; the site hears of it only when it is reconnected
    crash,
    synced,
    tick,
    copy,   // somebody copies the disk
    agree,  // on a view
    see,    // the view
    lapse,
    renew,
    quiet,
    adopt,
    stop,   // an orphan ends
    pause,  // the machine stands still
    resume,
    claim,  // a program says that it ran under an earlier incarnation
};
BOOST_DESCRIBE_ENUM(InputKind, start, request, release, cancel, leave, deliver, timeout, trusted, dead,
                    suspected, reconnected, departed, stopped, interrupted, crash, synced, tick, copy, agree,
                    see, lapse, renew, quiet, adopt, stop, pause, resume, claim)

constexpr InputKind kind_of(Detection detection) {
    return static_cast<InputKind>(static_cast<unsigned>(InputKind::trusted) +
                                  static_cast<unsigned>(detection));
}
static_assert(kind_of(Detection::stopped) == InputKind::stopped);

// Nothing for what no detector says.
constexpr std::optional<Detection> detection_of(InputKind kind) {
    if (kind < InputKind::trusted || kind > InputKind::stopped) return std::nullopt;
    return static_cast<Detection>(static_cast<unsigned>(kind) - static_cast<unsigned>(InputKind::trusted));
}

// A false claim comes with no receipt, or with that of an earlier grant.
enum class Proof : std::uint8_t { none, outdated };
BOOST_DESCRIBE_ENUM(Proof, none, outdated)

class Stepper {
public:
    // Without delay, a write is on the disk in the step that makes it; else some time later, by `sync`. With
    // orphans, a program that holds goes on when its site crashes, for no more than so many ticks unless that
    // is 0. With receipts, sites keep that of their newest grant.
    explicit Stepper(const Instance& instance, Writes writes = Writes::instant, bool orphans = false,
                     std::uint32_t orphan_ticks = 0, bool receipts = false)
        : instance_(instance),
          writes_(writes),
          orphans_(orphans),
          orphan_ticks_(orphan_ticks),
          receipts_(receipts),
          fx_(instance.make_effects()) {}

    const Instance& instance() const { return instance_; }

    // The results of each method below: messages in fx(), events for monitors, and the report.
    const AnyEffects& fx() const { return *fx_; }
    const std::vector<Event>& events() const { return events_; }
    const Report& report() const { return report_; }

    // A site begins its first incarnation, or its next one after a crash. It starts with `requests` to make.
    void start(SiteId self, Site& site, std::uint32_t requests);
    void request(SiteId self, Site& site, const Demand& demand);
    void release(SiteId self, Site& site);
    void cancel(SiteId self, Site& site);
    void leave(SiteId self, Site& site);
    void deliver(SiteId self, Site& site, const Envelope& envelope);
    void timeout(SiteId self, Site& site, std::uint32_t timer);
    // The detector speaks; its word is remembered beside the site.
    void detect(SiteId self, Site& site, InputKind kind, Peer peer);
    void sync(SiteId self, Site& site);
    // A site that is paused handles the tick when it resumes.
    void tick(SiteId self, Site& site);
    // The machine of the site stands still, with the program. The clock goes on, and the lease ends. When the
    // site resumes, it handles what it missed in one step, before anything else.
    void pause(Site& site);
    void resume(SiteId self, Site& site);
    void copy_disk(Site& site);
    // The site sees an agreed view. If that lacks it, it stops its programs and begins its next incarnation.
    void see(SiteId self, Site& site, const AgreedView& view);
    // The lease of the site ends, or is valid again.
    void lapse(SiteId self, Site& site);
    void renew(SiteId self, Site& site);
    void quiet(SiteId self, Site& site);
    // The orphan becomes the site's application again, or ends.
    void adopt(SiteId self, Site& site);
    void stop(Site& site);
    // A program that was granted nothing says that it held this under the incarnation before.
    void claim(SiteId self, Site& site, const Demand& demand, Proof proof);
    // The site stops; nothing survives but its incarnation and what its disk has.
    void crash(SiteId self, Site& site, Disk disk = Disk::kept);

private:
    void begin();
    void run(SiteId self, Site& site, const AnyInput& input) { run(self, site, std::span(&input, 1)); }
    void run(SiteId self, Site& site, std::span<const AnyInput> inputs);
    void settle_timers(Site& site);
    void settle_writes(SiteId self, Site& site);
    void tell(SiteId self, Site& site, const Notice& notice);
    void expect(bool holds, const char* what, const Application& app);
    void note(Event::Kind kind, SiteId self, const Site& site);
    void retire(Site& site, Standing standing, Disk disk = Disk::kept);
    void begin_again(SiteId self, Site& site);
    void leave_orphan(Site& site) const;
    void age_orphan(Site& site) const;
    static void renew_receipt(Site& site);
    void remember(Site& site, InputKind kind, Peer peer);

    const Instance& instance_;
    const Writes writes_;
    const bool orphans_;
    const std::uint32_t orphan_ticks_;
    const bool receipts_;
    std::unique_ptr<AnyEffects> fx_;
    std::vector<Event> events_;
    Report report_;
};

}  // namespace allot::world
