#include "play/steps.hpp"

#include <algorithm>
#include <set>

#include "base/did_you_mean.hpp"
#include "core/json.hpp"
#include "world/demands.hpp"

namespace allot::play {

using walk::Budget;
using walk::EnvelopeId;
using walk::LocalInfo;
using walk::Move;
using walk::MoveKind;
using walk::Reaction;
using world::InputKind;

namespace {

std::string text(std::uint64_t number) {
    return std::to_string(number);
}

std::string site_text(SiteId site) {
    return "site " + text(site);
}

// Why a site cannot act at all, and what to write first.
std::optional<Error> not_up(const Stage& stage, SiteId site) {
    switch (stage.site(site).standing) {
        case Standing::up:
            if (stage.site(site).paused())
                return Error{site_text(site) + " is paused; write resume " + text(site) + " first"};
            return std::nullopt;
        case Standing::absent:
            return Error{site_text(site) + " has not joined; write join " + text(site) + " first"};
        case Standing::down:
            return Error{site_text(site) + " is down; write restart " + text(site) + " first"};
        case Standing::left:
            return Error{site_text(site) + " has left; write restart " + text(site) + " first"};
    }
    return std::nullopt;
}

Error used_up(const char* parameter, std::uint32_t allowed) {
    return Error{"the header allows " + std::string(parameter) + "=" + text(allowed) +
                 ", and none is left; allow more there, or leave " + parameter + " out of the header"};
}

std::optional<Move> find_input(Stage& stage, SiteId site, InputKind kind,
                               std::optional<std::uint32_t> argument = {}) {
    for (const Move& move : stage.walker().inputs(stage.world()))
        if (move.site == site && move.input.kind == kind && (!argument || move.input.argument == *argument))
            return move;
    return std::nullopt;
}

}  // namespace

std::string content_text(const walk::Machine& machine, EnvelopeId envelope) {
    return std::string(machine.kind(envelope)) + " " + json_text(machine.message(envelope));
}

std::string flight_text(const Stage& stage, const std::vector<EnvelopeId>& flight) {
    constexpr std::size_t most = 8;
    if (flight.empty()) return "nothing";
    std::string list;
    for (std::size_t i = 0; i < std::min(most, flight.size()); ++i) {
        const auto& envelope = stage.machine().envelope(flight[i]);
        list += (i == 0 ? "" : ", ") + text(envelope.from) + " -> " + text(envelope.to) + " " +
                content_text(stage.machine(), flight[i]);
    }
    return flight.size() <= most ? list : list + " and " + text(flight.size() - most) + " more";
}

std::string_view condition(const LocalInfo& site) {
    if (!site.up()) return enum_name(site.standing);
    return site.revoked ? "revoked" : enum_name(site.phase);
}

namespace {

// --- Steps of an application.

Demand read_demand(Words& words) {
    Demand demand;
    std::string word = words.word("units or resources");
    const auto is_number = [](const std::string& one) {
        return !one.empty() && one.find_first_not_of("0123456789") == std::string::npos;
    };
    if (is_number(word)) {
        if (word.size() > 9)
            words.fail(word + " units are too many");
        else
            demand.units = static_cast<std::uint32_t>(std::stoul(word));
        if (!words.more()) return demand;
        word = words.word("resources");
    }
    std::string_view rest = word;
    while (!rest.empty()) {
        const auto comma = std::min(rest.find(','), rest.size());
        demand.resources.emplace_back(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return demand;
}

// Why an idle site cannot ask now.
Error no_request(const Stage& stage, SiteId site) {
    const walk::Machine& machine = stage.machine();
    if (!machine.instance().asks(site))
        return Error{site_text(site) + " never asks in " + std::string(machine.facts().name)};
    if (machine.requests_left(stage.world().sites[site]) == 0)
        return used_up("requests", machine.setup().requests.of(site));
    return Error{site_text(site) +
                 " may not ask yet: it has not finished its start; deliver the messages of "
                 "its start first"};
}

Result<Move> read_request(Stage& stage, Words& words) {
    const SiteId site = words.site();
    std::optional<Demand> demand;
    if (words.more()) demand = read_demand(words);
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto error = not_up(stage, site)) return *error;
    const Phase phase = stage.site(site).phase;
    if (phase != Phase::idle)
        return Error{site_text(site) + " is " + std::string(enum_name(phase)) + "; only an idle site asks"};

    auto move = find_input(stage, site, InputKind::request);
    if (!move) return no_request(stage, site);
    const Demand wanted = demand.value_or(Demand{});
    if (!stage.machine().facts().refuses_demands)
        if (auto error = world::demand_error(stage.machine().instance(), site, wanted))
            return Error{std::move(*error)};
    move->input.argument = stage.machine().intern_demand(wanted);
    return *move;
}

Result<Move> read_release(Stage& stage, Words& words) {
    const SiteId site = words.site();
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto error = not_up(stage, site)) return *error;
    if (const auto move = find_input(stage, site, InputKind::release)) return *move;
    return Error{site_text(site) + " is " + std::string(condition(stage.site(site))) +
                 "; only a holding site releases"};
}

Result<Move> read_cancel(Stage& stage, Words& words) {
    const SiteId site = words.site();
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto error = not_up(stage, site)) return *error;
    if (const auto move = find_input(stage, site, InputKind::cancel)) return *move;
    if (!stage.machine().setup().cancel)
        return Error{"cancel is not offered here: the header says cancel=off, or " +
                     std::string(stage.machine().facts().name) + " has no cancel"};
    return Error{site_text(site) + " is " + std::string(condition(stage.site(site))) +
                 "; only a waiting site cancels"};
}

Result<Move> read_leave(Stage& stage, Words& words) {
    const SiteId site = words.site();
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto error = not_up(stage, site)) return *error;
    if (const auto move = find_input(stage, site, InputKind::leave)) return *move;
    if (stage.site(site).phase != Phase::idle)
        return Error{site_text(site) + " is " + std::string(condition(stage.site(site))) +
                     "; only an idle site leaves"};
    const std::uint32_t allowed = stage.machine().setup().leaves;
    if (allowed > 0 && stage.budget().leaves == 0) return used_up("leaves", allowed);
    return Error{"a site of " + std::string(stage.machine().facts().name) +
                 " cannot leave, or the header says leaves=0"};
}

Result<Move> read_start(Stage& stage, Verb verb, Words& words) {
    const SiteId site = words.site();
    if (const auto wrong = words.finish()) return Error{*wrong};
    const Standing standing = stage.site(site).standing;
    const bool gone = standing == Standing::down || standing == Standing::left;
    if (verb == Verb::join ? standing == Standing::absent : gone) {
        if (const auto move = find_input(stage, site, InputKind::start)) return *move;
        if (const auto allowed = stage.machine().setup().restarts; allowed > 0)
            return used_up("restarts", allowed);
        return Error{"the header allows restarts=0, or a site of " +
                     std::string(stage.machine().facts().name) + " cannot restart"};
    }
    const std::string found = site_text(site) + " is " + std::string(condition(stage.site(site)));
    if (verb == Verb::restart) return Error{found + "; only a site that crashed or left restarts"};
    return Error{found +
                 "; only an absent site joins (write founders=" + text(std::max<std::uint32_t>(1, site)) +
                 " in the header to have sites join from " + text(std::max<std::uint32_t>(1, site)) + " on)"};
}

Result<Move> read_timeout(Stage& stage, Words& words) {
    const SiteId site = words.site();
    const std::string name = words.word("a timer");
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto error = not_up(stage, site)) return *error;
    const auto timer = stage.machine().timer_named(name);
    if (!timer) {
        std::vector<std::string> known;
        for (std::uint32_t i = 0; i < 32; ++i)
            if (const auto one = stage.machine().timer_name(i); !one.empty()) known.emplace_back(one);
        if (known.empty()) return Error{std::string(stage.machine().facts().name) + " has no timers"};
        return Error{"\"" + name + "\" is no timer" + did_you_mean(name, known) + "; the timers are " +
                     enumerated(known)};
    }
    if (const auto move = find_input(stage, site, InputKind::timeout, timer)) return *move;
    const auto& offers = stage.site(site).offers;
    const bool armed = std::any_of(offers.begin(), offers.end(), [&](const walk::Offer& offer) {
        return offer.input.kind == InputKind::timeout && offer.input.argument == *timer;
    });
    if (!armed) return Error{"timer " + name + " of " + site_text(site) + " is not armed"};
    const world::Setup& setup = stage.machine().setup();
    const auto& flight = stage.world().flight;
    const bool replaces = std::any_of(flight.begin(), flight.end(), [&](EnvelopeId id) {
        return ((stage.machine().envelope(id).replaced_by >> *timer) & 1u) != 0;
    });
    if (setup.copies > 0 && replaces)
        return Error{"timer " + name + " sends replacements, and copies=" + text(setup.copies) +
                     " such messages are in flight already; write more copies in the header"};
    return Error{"timer " + name + " sends, and a channel holds backlog=" + text(setup.backlog) +
                 " messages already"};
}

// --- Steps of the network.

struct Wanted {
    Channel channel;
    std::string kind;
    std::optional<boost::json::value> content;
};

bool fits(const walk::Machine& machine, EnvelopeId id, const Wanted& wanted) {
    if (!wanted.kind.empty() && machine.kind(id) != wanted.kind) return false;
    return !wanted.content || json_contains(machine.message(id), *wanted.content);
}

Result<EnvelopeId> choose_oldest(const Stage& stage, const std::vector<EnvelopeId>& there,
                                 const Wanted& wanted) {
    if (fits(stage.machine(), there.front(), wanted)) return there.front();
    return Error{"links are fifo, and the oldest message there is " +
                 content_text(stage.machine(), there.front())};
}

// Equal messages are one choice; among different ones, the words must match exactly one.
Result<EnvelopeId> choose_any(const Stage& stage, const std::vector<EnvelopeId>& there,
                              const Wanted& wanted) {
    std::vector<EnvelopeId> fitting;
    for (const EnvelopeId id : there)
        if (fits(stage.machine(), id, wanted) &&
            std::find(fitting.begin(), fitting.end(), id) == fitting.end())
            fitting.push_back(id);
    if (fitting.size() == 1) return fitting.front();
    if (fitting.empty()) return Error{"no such message there, but " + flight_text(stage, there)};
    for (const EnvelopeId id : fitting)
        if (wanted.content && stage.machine().message(id) == *wanted.content) return id;
    return Error{"several messages match: write kind and content of one of " + flight_text(stage, fitting)};
}

Result<EnvelopeId> read_message(Stage& stage, Words& words) {
    Wanted wanted;
    wanted.channel = words.channel();
    if (words.more()) wanted.kind = words.word("a kind");
    if (words.more()) wanted.content = words.json("the message's content");
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (!wanted.kind.empty())
        if (const auto unknown = stage.machine().unknown_kind(wanted.kind)) return Error{*unknown};
    const auto there = stage.in_flight(wanted.channel.from, wanted.channel.to);
    if (there.empty())
        return Error{"nothing is in flight on " + text(wanted.channel.from) + " -> " +
                     text(wanted.channel.to) + "; in flight: " + flight_text(stage, stage.in_flight())};
    return stage.fifo() ? choose_oldest(stage, there, wanted) : choose_any(stage, there, wanted);
}

Result<Move> read_delivery(Stage& stage, Words& words) {
    const auto id = read_message(stage, words);
    if (!id) return Error{id.error()};
    const auto& envelope = stage.machine().envelope(*id);
    const SiteId to = envelope.to;
    if (const auto error = not_up(stage, to); error && stage.site(to).paused()) return *error;
    if (stage.conditions().is_cut(envelope.from, to)) {
        const std::string channel = text(envelope.from) + " -> " + text(to);
        return Error{"the channel " + channel + " is cut; write heal " + channel + " first"};
    }
    return Move{.site = to, .input = {InputKind::deliver, *id, 0}, .envelope = *id, .fair = true};
}

Result<Move> read_network_fault(Stage& stage, Verb verb, Words& words) {
    const auto id = read_message(stage, words);
    if (!id) return Error{id.error()};
    const world::Setup& setup = stage.machine().setup();
    if (verb == Verb::duplicate && stage.budget().duplicate == 0)
        return used_up("duplicate", setup.duplicate);
    if (verb == Verb::drop && stage.budget().lose == 0) return used_up("lose", setup.lose.value);
    return Move{.kind = verb == Verb::duplicate ? MoveKind::duplicate : MoveKind::drop, .envelope = *id};
}

// --- Reports of a failure detector.

std::string why_silent(Stage& stage, InputKind kind, SiteId observer, SiteId peer) {
    const LocalInfo& other = stage.site(peer);
    const std::string name = site_text(peer);
    const std::string deaf = ", or " + std::string(stage.machine().facts().name) + " takes no such input";
    const bool up = other.up();
    if (observer == peer) return "a site does not watch itself";
    if (other.standing == Standing::absent) return name + " has not joined";
    switch (kind) {
        case InputKind::trusted:
            return site_text(observer) + " has received this about " + name + " already" + deaf;
        case InputKind::dead:
            return up && other.incarnation == 0
                       ? "a detector never reports a site dead that is up"
                       : "that incarnation of " + name +
                             " was reported dead already, was never trusted, or has not ended" + deaf;
        case InputKind::suspected:
            if (stage.machine().setup().anchor.site == peer)
                return name + " is the anchor, which nobody ever suspects";
            return std::string(stage.machine().facts().name) + " takes no such input";
        case InputKind::reconnected:
            return up ? "the link between the two sites has lost nothing" + deaf : name + " is not up";
        case InputKind::stopped:
            return "a program of " + name + " may still run, or " + site_text(observer) +
                   " does not wait for its end";
        default:
            return up ? name + " is up; only a site that crashed or left can have departed"
                      : site_text(observer) + " keeps no state about " + name + deaf;
    }
}

Result<Move> read_detection(Stage& stage, InputKind kind, Words& words) {
    const SiteId observer = words.site("the observing site");
    const SiteId peer = words.site("the observed site");
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto error = not_up(stage, observer)) return *error;
    if (const auto move = find_input(stage, observer, kind, peer)) return *move;
    return Error{"the detector of " + site_text(observer) +
                 " cannot say this now: " + why_silent(stage, kind, observer, peer)};
}

// The operator tells the first site that is up that another is gone; no detector is needed for that.
Result<Move> read_expulsion(Stage& stage, Words& words) {
    const SiteId expelled = words.site();
    if (const auto wrong = words.finish()) return Error{*wrong};
    const LocalInfo& info = stage.site(expelled);
    if (!stage.machine().facts().listens(Detection::dead))
        return Error{std::string(stage.machine().facts().name) + " takes no reports of deaths"};
    if (info.up()) return Error{site_text(expelled) + " is up; only a site that has crashed is expelled"};
    if (info.standing == Standing::absent) return Error{site_text(expelled) + " has not joined"};
    for (SiteId site = 0; site < stage.machine().setup().sites; ++site)
        if (stage.site(site).up())
            return Move{.site = site, .input = {InputKind::dead, expelled, info.incarnation}};
    return Error{"no site is up that could be told"};
}

// --- Crashes.

Error why_not_killed(const Stage& stage, SiteId site, Disk disk) {
    const world::Setup& setup = stage.machine().setup();
    if (setup.anchor.site == site) return Error{site_text(site) + " is the anchor, which never crashes"};
    if (!stage.site(site).may_crash)
        return Error{site_text(site) + " never crashes in " + std::string(stage.machine().facts().name)};
    if (stage.budget().crashes == 0) return used_up("crashes", setup.crashes);
    if (!stage.machine().facts().durable)
        return Error{"a site of " + std::string(stage.machine().facts().name) + " has no disk"};
    if (disk == Disk::torn) return Error{site_text(site) + " writes nothing to its disk now"};
    if (disk == Disk::lost) return used_up("lost-disks", setup.lost_disks);
    if (stage.site(site).copied) return used_up("restored-disks", setup.restored_disks);
    return Error{"nobody has copied the disk of " + site_text(site) + "; write copy " + text(site) +
                 " first"};
}

std::string destinations_text(const walk::Machine& machine, const Reaction& reaction) {
    if (reaction.sent.empty()) return "nothing";
    std::string list;
    for (const EnvelopeId id : reaction.sent)
        list += (list.empty() ? "" : ", ") + text(machine.envelope(id).to);
    return "messages to " + list;
}

// `0` is the first message to 0, the next `0` the second; `0#2` is the second at once.
Result<std::uint32_t> read_sent(Stage& stage, Words& words, const Reaction& reaction) {
    std::map<std::string, std::size_t> named;
    std::uint32_t sent = 0;
    while (words.more()) {
        const std::string word = words.word("a site");
        const auto sharp = std::min(word.find('#'), word.size());
        Words parts({word.substr(0, sharp), sharp < word.size() ? word.substr(sharp + 1) : "1"},
                    "SITE or SITE#NUMBER", stage.machine().setup().sites);
        const SiteId to = parts.site();
        std::uint64_t rank = parts.number("the number of a message");
        if (const auto wrong = parts.finish()) return Error{*wrong};
        if (sharp == word.size()) rank = ++named[word];
        std::uint64_t seen = 0;
        std::size_t index = 0;
        while (index < reaction.sent.size() &&
               !(stage.machine().envelope(reaction.sent[index]).to == to && ++seen == rank))
            ++index;
        if (index == reaction.sent.size())
            return Error{"the step sends no message " + word + "; it sends " +
                         destinations_text(stage.machine(), reaction)};
        sent |= 1u << index;
    }
    return sent;
}

Result<Move> read_crash_inside(Stage& stage, SiteId site, Words& words) {
    words.word("in");
    const std::string name = words.word("a step");
    if (words.error()) return Error{*words.error()};
    const auto verb = verb_named(name);
    if (!verb) return Error{verb.error()};
    const bool fault = *verb == Verb::crash || *verb == Verb::duplicate || *verb == Verb::drop;
    Words inner = words.up_to("sent", usage(*verb));
    const auto move = fault ? Result<Move>(Error{"no site takes this step, so none can crash inside it"})
                            : read_step(stage, *verb, inner);
    if (!move) return Error{move.error()};
    if (move->site != site)
        return Error{"that is a step of " + site_text(move->site) + ", not of " + site_text(site)};

    const Reaction& reaction = stage.machine().react(stage.world().sites[site], move->input);
    if (reaction.sent.size() > 32)
        return Error{"the step sends more than 32 messages, too many to choose from"};
    if (words.more()) words.word("sent");
    const auto sent = read_sent(stage, words, reaction);
    if (!sent) return Error{sent.error()};
    if (!stage.walker().may_be_cut_short(*sent, reaction))
        return Error{"links are fifo: a message leaves only after those sent before it to the same site"};
    Move inside = *move;
    inside.kind = MoveKind::crash_inside;
    inside.sent = *sent;
    inside.fair = false;
    return inside;
}

Result<Move> read_crash(Stage& stage, Words& words) {
    const SiteId site = words.site();
    if (words.error()) return Error{*words.error()};
    // A crash inside a step may also hit a site that joins or restarts; the step itself says what it needs.
    const bool inside_a_step = words.next_is("in");
    if (const auto error = not_up(stage, site); error && !inside_a_step && !stage.site(site).paused())
        return *error;
    Move move{.kind = MoveKind::crash, .site = site, .input = {InputKind::crash}};
    if (inside_a_step) {
        const auto inside = read_crash_inside(stage, site, words);
        if (!inside) return Error{inside.error()};
        move = *inside;
    }
    if (const auto wrong = words.finish()) return Error{*wrong};
    const bool starting = inside_a_step && move.input.kind == InputKind::start;
    walk::Machine& machine = stage.machine();
    const walk::LocalInfo& mortal =
        starting ? machine.local(machine.react(stage.world().sites[site], move.input).after)
                 : stage.site(site);
    if (stage.machine().setup().anchor.site == site)
        return Error{site_text(site) + " is the anchor, which never crashes"};
    if (!mortal.may_crash)
        return Error{site_text(site) + " never crashes in " + std::string(stage.machine().facts().name)};
    if (stage.budget().crashes == 0) return used_up("crashes", stage.machine().setup().crashes);
    return move;
}

// --- Disks, clocks and channels.

Result<Move> read_kill(Stage& stage, Words& words) {
    const SiteId site = words.site();
    Disk disk = Disk::kept;
    if (words.next_is("disk")) {
        words.word("disk");
        const std::string fate = words.word("torn, lost or restored");
        const auto known = enum_from<Disk>(fate);
        if (!known && !words.error()) words.fail("\"" + fate + "\": a disk is torn, lost or restored");
        disk = known.value_or(disk);
    }
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto error = not_up(stage, site); error && !stage.site(site).paused()) return *error;
    for (const Move& move : stage.walker().crashes(stage.world(), site))
        if (static_cast<Disk>(move.input.argument) == disk) return move;
    return why_not_killed(stage, site, disk);
}

Result<Move> read_disk_step(Stage& stage, InputKind kind, Words& words) {
    const SiteId site = words.site();
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto error = not_up(stage, site)) return *error;
    if (const auto move = find_input(stage, site, kind)) return *move;
    if (kind == InputKind::synced)
        return Error{site_text(site) + " writes nothing to a disk now, or the header says writes=instant"};
    return Error{"the disk of " + site_text(site) +
                 " is copied already, or the header allows restored-disks=0"};
}

Result<Move> read_pause(Stage& stage, InputKind kind, Words& words) {
    const SiteId site = words.site();
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto move = find_input(stage, site, kind)) return *move;
    if (kind == InputKind::resume) return Error{site_text(site) + " is not paused"};
    if (const auto error = not_up(stage, site)) return *error;
    return used_up("pauses", stage.machine().setup().pauses);
}

Result<Move> read_channel_change(Stage& stage, MoveKind kind, Words& words) {
    const Channel channel = words.channel();
    if (const auto wrong = words.finish()) return Error{*wrong};
    for (const Move& move : stage.walker().channel_changes(stage.world(), kind))
        if (move.site == channel.from && move.input.argument == channel.to) return move;
    const std::string name = text(channel.from) + " -> " + text(channel.to);
    const bool is_cut = stage.conditions().is_cut(channel.from, channel.to);
    if (kind == MoveKind::heal) return Error{"the channel " + name + " is not cut"};
    if (is_cut) return Error{"the channel " + name + " is cut already"};
    return used_up("cuts", stage.machine().setup().cuts);
}

// --- Agreed views and programs.

Result<Move> read_view_change(Stage& stage, Words& words) {
    const std::string name = words.word("remove, add or replace");
    const auto change = enum_from<ViewChange>(name);
    if (!change && !words.error()) words.fail("\"" + name + "\": a view removes, adds or replaces a site");
    const SiteId site = words.site();
    if (const auto wrong = words.finish()) return Error{*wrong};
    for (const Move& move : stage.walker().view_changes(stage.world()))
        if (move.site == site && static_cast<ViewChange>(move.input.argument) == *change) return move;
    if (stage.conditions().views.empty())
        return Error{"sites of " + std::string(stage.machine().facts().name) + " see no agreed views"};
    switch (*change) {
        case ViewChange::remove:
            return Error{site_text(site) + " is no member of the newest view, or it is up and expulsions=" +
                         text(stage.machine().setup().expulsions) + " are used up"};
        case ViewChange::add:
            return Error{site_text(site) + " is a member, was one in this incarnation, or is not up"};
        case ViewChange::replace:
            break;
    }
    return Error{site_text(site) + " is not up, or no earlier incarnation of it is a member"};
}

Result<Move> read_see(Stage& stage, Words& words) {
    const SiteId site = words.site();
    const std::uint64_t number = words.number("the number of a view");
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto error = not_up(stage, site)) return *error;
    for (const Move& move : stage.walker().inputs(stage.world()))
        if (move.kind == MoveKind::input && move.site == site && move.input.kind == InputKind::see &&
            stage.machine().view(move.input.argument).number == number)
            return move;
    return Error{"there is no view " + text(number) + " that " + site_text(site) + " has yet to see"};
}

std::string why_no_program_step(const Stage& stage, InputKind kind, SiteId site) {
    const std::string name = site_text(site);
    switch (kind) {
        case InputKind::lapse:
            return "the lease of " + name +
                   " has ended already, it has none, or lapses=" + text(stage.machine().setup().lapses) +
                   " are used up";
        case InputKind::renew:
            return "the lease of " + name + " has not ended, or it is no member of the newest view";
        case InputKind::quiet:
            return name + " does not wait for this, or a program may still run that it waits for";
        case InputKind::adopt:
            return name + " has not outlived a program, or its application is busy";
        default:
            return "no program has outlived " + name;
    }
}

// An orphan stops whether its site is up or not.
Result<Move> read_program_step(Stage& stage, InputKind kind, Words& words) {
    const SiteId site = words.site();
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (kind != InputKind::stop)
        if (const auto error = not_up(stage, site)) return *error;
    if (const auto move = find_input(stage, site, kind)) return *move;
    return Error{why_no_program_step(stage, kind, site)};
}

Result<Move> read_claim(Stage& stage, Words& words) {
    const SiteId site = words.site();
    const std::string name = words.word("none or outdated");
    const auto proof = enum_from<world::Proof>(name);
    if (!proof && !words.error())
        words.fail("\"" + name + "\": a program has no receipt, or an outdated one");
    Demand demand;
    if (words.more()) demand = read_demand(words);
    if (const auto wrong = words.finish()) return Error{*wrong};
    if (const auto error = not_up(stage, site)) return *error;
    for (const Move& move : stage.walker().inputs(stage.world()))
        if (move.site == site && move.input.kind == InputKind::claim &&
            static_cast<world::Proof>(move.input.incarnation) == *proof &&
            stage.machine().demand(move.input.argument) == demand)
            return move;
    return Error{site_text(site) + " has no such receipt, cannot be asked for this, has not started again, " +
                 "is busy or has seen a view; or false-claims=" + text(stage.machine().setup().false_claims) +
                 " are used up"};
}

// The count is the player's business.
Result<Move> read_tick(Stage& stage, Words& words) {
    const bool all = words.next_is("all");
    const SiteId site = all ? SiteId(0) : words.site("a site, or all");
    if (all) words.word("all");
    if (const auto wrong = words.finish()) return Error{*wrong};
    const world::Setup& setup = stage.machine().setup();
    if (!stage.machine().facts().ticks)
        return Error{std::string(stage.machine().facts().name) + " has no clock that ticks"};
    if (all != (setup.skew == 0))
        return Error{all ? "the header has a skew, so clocks tick one by one; write tick SITE"
                         : "all clocks tick at once where the header has no skew; write tick all"};
    for (const Move& move : stage.walker().inputs(stage.world()))
        if (move.kind == MoveKind::tick && move.site == site) return move;
    if (!stage.walker().backlog_allows(stage.world()))
        return Error{"a channel holds backlog=" + text(setup.backlog) + " messages; deliver some first"};
    for (SiteId one = 0; one < setup.sites; ++one)
        if ((all || one == site) && stage.site(one).paused() && *stage.site(one).missed >= setup.pause_ticks)
            return Error{site_text(one) + " has missed pause-ticks=" + text(setup.pause_ticks) +
                         " ticks; write resume " + text(one) + " first"};
    return Error{"the clock of " + site_text(site) + " is skew=" + text(setup.skew) +
                 " ticks ahead of the slowest; another one must tick first"};
}

Result<Move> read_membership_step(Stage& stage, Verb verb, Words& words) {
    switch (verb) {
        case Verb::view:
            return read_view_change(stage, words);
        case Verb::see:
            return read_see(stage, words);
        case Verb::lapse:
            return read_program_step(stage, InputKind::lapse, words);
        case Verb::renew:
            return read_program_step(stage, InputKind::renew, words);
        case Verb::quiet:
            return read_program_step(stage, InputKind::quiet, words);
        case Verb::adopt:
            return read_program_step(stage, InputKind::adopt, words);
        case Verb::stop:
            return read_program_step(stage, InputKind::stop, words);
        case Verb::claim:
            return read_claim(stage, words);
        default:
            return Error{"this is no step of one site; write, for example, " +
                         std::string(usage(Verb::request))};
    }
}

}  // namespace

Result<Move> read_step(Stage& stage, Verb verb, Words& words) {
    switch (verb) {
        case Verb::request:
            return read_request(stage, words);
        case Verb::release:
            return read_release(stage, words);
        case Verb::cancel:
            return read_cancel(stage, words);
        case Verb::leave:
            return read_leave(stage, words);
        case Verb::join:
        case Verb::restart:
            return read_start(stage, verb, words);
        case Verb::timeout:
            return read_timeout(stage, words);
        case Verb::deliver:
            return read_delivery(stage, words);
        case Verb::duplicate:
        case Verb::drop:
            return read_network_fault(stage, verb, words);
        case Verb::trusted:
            return read_detection(stage, InputKind::trusted, words);
        case Verb::dead:
            return read_detection(stage, InputKind::dead, words);
        case Verb::suspected:
            return read_detection(stage, InputKind::suspected, words);
        case Verb::departed:
            return read_detection(stage, InputKind::departed, words);
        case Verb::reconnected:
            return read_detection(stage, InputKind::reconnected, words);
        case Verb::stopped:
            return read_detection(stage, InputKind::stopped, words);
        case Verb::crash:
            return read_crash(stage, words);
        case Verb::kill:
            return read_kill(stage, words);
        case Verb::synced:
            return read_disk_step(stage, InputKind::synced, words);
        case Verb::copy:
            return read_disk_step(stage, InputKind::copy, words);
        case Verb::tick:
            return read_tick(stage, words);
        case Verb::cut:
            return read_channel_change(stage, MoveKind::cut, words);
        case Verb::heal:
            return read_channel_change(stage, MoveKind::heal, words);
        case Verb::pause:
            return read_pause(stage, InputKind::pause, words);
        case Verb::resume:
            return read_pause(stage, InputKind::resume, words);
        case Verb::expel:
            return read_expulsion(stage, words);
        default:
            return read_membership_step(stage, verb, words);
    }
}

}  // namespace allot::play
