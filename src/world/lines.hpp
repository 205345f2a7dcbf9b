// The lines of a scenario file, one function for each kind. Checker, swarm, simulator and player write and
// explain runs in these lines; docs/scenarios.md describes them for people.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "world/step.hpp"

namespace allot::world {

// `request 2 a,b`. One resource whose name is a number needs the units before it.
std::string request_line(SiteId site, const Demand& demand);
// `join 3` for the first incarnation, `restart 3` for a later one.
std::string start_line(SiteId site, bool first);
// `release 0`, `cancel 0`, `leave 0`, `synced 0`, `copy 0`, `lapse 0`, `renew 0`, `quiet 0`, `adopt 0`, `stop
// 0`, `pause 0`, `resume 0`.
std::string site_line(InputKind kind, SiteId site);
// `kill 2 disk lost`, or `crash 2` where sites have no disk.
std::string crash_line(SiteId site, bool durable, Disk disk);
// `tick 2`: the clock of one site; `tick all` where all clocks tick at once.
std::string tick_line(SiteId site, bool all);
// `cut 0 -> 1` or `heal 0 -> 1`.
std::string channel_line(std::string_view verb, SiteId from, SiteId to);
// `view remove 2`: the sites agree on a view that differs in this from the one before.
std::string view_line(ViewChange change, SiteId site);
// `see 0 3`: site 0 sees the view with number 3.
std::string see_line(SiteId site, std::uint32_t view);
// `claim 1 none r0`: a program of site 1 says that it holds r0, and shows no receipt; or an `outdated` one.
std::string claim_line(SiteId site, const Demand& demand, Proof proof);
// `timeout 0 controller`.
std::string timeout_line(SiteId site, std::string_view timer);
// `trusted 0 1`: the detector of the first speaks of the second.
std::string detection_line(InputKind kind, SiteId observer, SiteId peer);
// `deliver 0 -> 1 Reply`; the verb may be deliver, duplicate or drop.
std::string message_line(std::string_view verb, const Envelope& envelope, std::string_view kind);
// The same with content: `deliver 0 -> 1 Reply {"stamp": 3}`.
std::string message_line(std::string_view verb, const Envelope& envelope, std::string_view kind,
                         const boost::json::value& content);
// `crash 2 in LINE sent 0 1`: messages of the step that left before the crash. They are named by their
// destinations where the first ones of a destination left, else by number as in 0#2; `left` says of each
// destination's messages, in order, which ones left.
std::string crash_inside_line(SiteId site, std::string_view step, const std::vector<SiteId>& destinations,
                              const std::vector<bool>& left);
// `state 1 {"clock": 7}` and `put 0 -> 1 {"Request": {"stamp": 3}}`.
std::string state_line(SiteId site, const boost::json::value& state);
std::string put_line(const Envelope& envelope, const boost::json::value& message);

}  // namespace allot::world
