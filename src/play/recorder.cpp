#include "play/recorder.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "core/json.hpp"
#include "play/steps.hpp"
#include "view/patch.hpp"

namespace allot::play {

using view::Fate;
using view::Look;
using view::Mark;
using walk::EnvelopeId;
using walk::LocalInfo;
using walk::Move;
using walk::MoveKind;
using walk::World;
using world::InputKind;

namespace {

// --- The name of a step where its site can be seen.

std::string demand_label(const Demand& demand) {
    constexpr std::size_t most = 3;
    std::string text;
    if (demand.resources.empty() || demand.units != 1) text = fmt::format(" {}", demand.units);
    if (demand.resources.empty() && demand.units == 1) text.clear();
    for (std::size_t i = 0; i < std::min(most, demand.resources.size()); ++i)
        text += (i == 0 ? " " : ",") + demand.resources[i].name();
    if (demand.resources.size() > most) text += fmt::format(" and {} more", demand.resources.size() - most);
    return text;
}

std::string input_label(const walk::Machine& machine, const Move& move) {
    const InputKind kind = move.input.kind;
    const std::string name(enum_name(kind));
    switch (kind) {
        case InputKind::request:
        case InputKind::claim:
            return name + demand_label(machine.demand(move.input.argument));
        case InputKind::deliver:
            return std::string(machine.kind(move.envelope));
        case InputKind::timeout:
            return std::string(machine.timer_name(move.input.argument));
        case InputKind::see:
            return fmt::format("see view {}", machine.view(move.input.argument).number);
        default:
            return detection_of(kind) ? fmt::format("{} {}", name, move.input.argument) : name;
    }
}

std::string label_of(const walk::Machine& machine, const Move& move) {
    switch (move.kind) {
        case MoveKind::input:
            return input_label(machine, move);
        case MoveKind::crash: {
            const auto disk = static_cast<Disk>(move.input.argument);
            return disk == Disk::kept ? "crash" : fmt::format("crash, disk {}", enum_name(disk));
        }
        case MoveKind::crash_inside:
            return "crash in " + input_label(machine, move);
        case MoveKind::duplicate:
            return fmt::format("copy of {}", machine.kind(move.envelope));
        case MoveKind::drop:
            return fmt::format("{} lost", machine.kind(move.envelope));
        case MoveKind::cut:
        case MoveKind::heal:
            return fmt::format("{} to {}", move.kind == MoveKind::cut ? "cut" : "heal", move.input.argument);
        case MoveKind::tick:
            return "tick";
        case MoveKind::agree:
            return fmt::format("view: {}", enum_name(static_cast<ViewChange>(move.input.argument)));
    }
    return "";
}

Mark mark_of_input(InputKind kind) {
    if (detection_of(kind)) return Mark::detector;
    switch (kind) {
        case InputKind::start:
            return Mark::start;
        case InputKind::deliver:
            return Mark::message;
        case InputKind::timeout:
            return Mark::timer;
        case InputKind::synced:
        case InputKind::copy:
            return Mark::disk;
        case InputKind::see:
        case InputKind::lapse:
        case InputKind::renew:
        case InputKind::quiet:
            return Mark::view;
        default:
            return Mark::program;
    }
}

Mark mark_of(const Move& move) {
    switch (move.kind) {
        case MoveKind::input:
            return mark_of_input(move.input.kind);
        case MoveKind::crash:
        case MoveKind::crash_inside:
            return Mark::crash;
        case MoveKind::tick:
            return Mark::timer;
        case MoveKind::agree:
            return Mark::view;
        case MoveKind::duplicate:
        case MoveKind::drop:
        case MoveKind::cut:
        case MoveKind::heal:
            return Mark::link;
    }
    return Mark::program;
}

// The site at which the step can be seen. A message is copied or lost on its way to its receiver.
std::optional<SiteId> site_of(const walk::Machine& machine, const Move& move) {
    if (move.kind == MoveKind::duplicate || move.kind == MoveKind::drop)
        return machine.envelope(move.envelope).to;
    if (move.kind == MoveKind::tick && machine.setup().skew == 0) return std::nullopt;
    return move.site;
}

std::vector<std::string> resources_of(const walk::Machine& machine, const Move& move) {
    std::vector<std::string> names;
    if (move.kind != MoveKind::input && move.kind != MoveKind::crash_inside) return names;
    if (move.input.kind != InputKind::request && move.input.kind != InputKind::claim) return names;
    for (const ResourceId resource : machine.demand(move.input.argument).resources)
        names.push_back(resource.name());
    return names;
}

Look look_of(const LocalInfo& site) {
    return enum_from<Look>(condition(site)).value_or(Look::idle);
}

boost::json::value state_of(const walk::Machine& machine, walk::LocalId id) {
    return machine.local(id).up() ? machine.state(id) : boost::json::value();
}

}  // namespace

// --- Sites.

void Recorder::beginning(const Stage& stage) {
    lossy_ = stage.machine().setup().lossy();
    world_ = stage.world();
    for (const EnvelopeId id : stage.world().flight) open_[id].emplace_back();
    recording_ = window_.first_line == 0;
    if (recording_) begin_run(stage, world_);
}

// The sites as they are before the first event, and the messages that are in flight then.
void Recorder::begin_run(const Stage& stage, const World& before) {
    begun_ = true;
    for (const walk::LocalId id : before.sites) {
        const LocalInfo& info = stage.machine().local(id);
        states_.push_back(state_of(stage.machine(), id));
        run_.lanes.push_back({look_of(info), info.paused(), states_.back()});
    }
    for (auto& [id, places] : open_)
        for (Place& place : places)
            if (!place) place = add_message(stage, id, std::nullopt);
}

// Whether what happens at this line becomes an event; its sites and messages follow.
bool Recorder::begins_event(std::size_t line, const Stage& stage, const World& before) {
    recording_ = line >= window_.first_line && line <= window_.last_line && !full_;
    if (recording_ && run_.events.size() >= window_.most_events) {
        full_ = true;
        recording_ = false;
    }
    if (!recording_) return false;
    if (!begun_) begin_run(stage, before);
    run_.events.emplace_back().line = line;
    return true;
}

void Recorder::note_sites(const Stage& stage, const World& before) {
    for (SiteId site = 0; site < before.sites.size(); ++site) {
        const walk::LocalId was = before.sites[site];
        const walk::LocalId is = stage.world().sites[site];
        if (was == is) continue;
        const LocalInfo& old = stage.machine().local(was);
        const LocalInfo& info = stage.site(site);
        if (look_of(old) != look_of(info) || old.paused() != info.paused())
            run_.events.back().changes.push_back({site, look_of(info), info.paused()});
        boost::json::value state = state_of(stage.machine(), is);
        auto patch = view::patch_between(states_[site], state);
        if (!patch.empty()) run_.events.back().states.push_back({site, std::move(patch)});
        states_[site] = std::move(state);
    }
}

// --- Messages.

std::uint32_t Recorder::add_message(const Stage& stage, EnvelopeId id, std::optional<std::uint32_t> sent) {
    const auto& envelope = stage.machine().envelope(id);
    run_.messages.push_back({.from = envelope.from,
                             .to = envelope.to,
                             .kind = std::string(stage.machine().kind(id)),
                             .content = stage.machine().message(id),
                             .sent = sent});
    return static_cast<std::uint32_t>(run_.messages.size() - 1);
}

void Recorder::send(const Stage& stage, EnvelopeId id, bool copied) {
    Place place;
    if (recording_) {
        place = add_message(stage, id, newest());
        run_.messages[*place].copied = copied;
    }
    open_[id].push_back(place);
}

// The oldest message with this content arrives, or gets lost.
Recorder::Place Recorder::end(EnvelopeId id, Fate fate) {
    auto& places = open_[id];
    if (places.empty()) return std::nullopt;
    Place place = places.front();
    if (lossy_ && place && run_.messages[*place].ended) {
        view::Message again = run_.messages[*place];
        again.copied = true;
        run_.messages.push_back(std::move(again));
        place = static_cast<std::uint32_t>(run_.messages.size() - 1);
    }
    if (!lossy_) places.erase(places.begin());
    if (recording_ && place) {
        run_.messages[*place].ended = newest();
        run_.messages[*place].fate = fate;
    }
    return place;
}

// Copies and messages that were put there by hand come into flight; those whose receiver is gone leave it.
void Recorder::compare_flight(const Stage& stage) {
    std::map<EnvelopeId, std::size_t> there;
    for (const EnvelopeId id : stage.world().flight) ++there[id];
    for (const auto& [id, count] : there)
        while (open_[id].size() < count) send(stage, id, false);
    for (auto& [id, places] : open_)
        while (!lossy_ && places.size() > there[id]) end(id, Fate::vanished);
    std::erase_if(open_, [](const auto& one) { return one.second.empty(); });
}

void Recorder::follow(const Stage& stage, const Move& move, const Taken& taken) {
    const bool input = move.kind == MoveKind::input || move.kind == MoveKind::crash_inside;
    if (input && move.input.kind == InputKind::deliver) {
        const Place place = end(move.envelope, Fate::delivered);
        if (recording_ && place) run_.events.back().received = place;
    }
    if (move.kind == MoveKind::drop) {
        const Place place = end(move.envelope, Fate::lost);
        if (recording_ && place) run_.events.back().received = place;
    }
    if (move.kind == MoveKind::duplicate) send(stage, move.envelope, true);
    for (const EnvelopeId id : taken.sent) send(stage, id, false);
    compare_flight(stage);
}

// --- The audience of the scenario.

void Recorder::step(std::size_t line, const std::string& text, const Stage& stage, const Move& move,
                    const Taken& taken) {
    if (begins_event(line, stage, taken.before)) {
        view::Event& event = run_.events.back();
        const walk::Machine& machine = stage.machine();
        event.text = text;
        event.label = label_of(machine, move);
        // `join` or `restart`, which only the line tells.
        if (move.kind == MoveKind::input && move.input.kind == InputKind::start)
            event.label = text.substr(0, text.find(' '));
        if (!taken.refused.empty()) {
            event.note = "refused: " + taken.refused;
            event.label += " refused";
        }
        event.mark = mark_of(move);
        event.site = site_of(machine, move);
        event.wants = resources_of(machine, move);
        note_sites(stage, taken.before);
    }
    follow(stage, move, taken);
    world_ = stage.world();
}

void Recorder::note(std::size_t line, const std::string& text, const std::string& /*result*/) {
    if (run_.header.empty()) run_.header = text;
    line_ = line;
    text_ = text;
    if (line < window_.first_line || line > window_.last_line || full_) return;
    if (text == "loop") run_.loop = static_cast<std::uint32_t>(run_.events.size());
    // The player has found this to be so.
    for (const auto& [judged, property, meaning] :
         {std::tuple{"expect stuck ", world::deadlock.name, "waits, and nothing more will happen"},
          {"expect unservable ", world::servable.name, "waits, and nothing can serve it any more"},
          {"expect starving ", world::starvation.name, "waits forever"}}) {
        if (!text.starts_with(judged)) continue;
        run_.verdict = {std::string(property),
                        "site " + text.substr(std::string_view(judged).size()) + " " + meaning, std::nullopt};
        if (!run_.events.empty()) run_.verdict->event = newest();
    }
}

void Recorder::rewritten(const Stage& stage) {
    if (begins_event(line_, stage, world_)) {
        view::Event& event = run_.events.back();
        event.text = text_;
        event.mark = Mark::hand;
        event.label = text_.substr(0, text_.find(' ')) + " by hand";
        note_sites(stage, world_);
        if (!event.states.empty()) event.site = event.states.front().site;
    }
    compare_flight(stage);
    world_ = stage.world();
}

void Recorder::violated(const Report& report) {
    if (!recording_) return;
    run_.verdict = {report.property(), report.detail(), std::nullopt};
    if (!run_.events.empty()) run_.verdict->event = newest();
}

// --- The title and the times, which only the text has.

namespace {

std::string_view next_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

// The comment above the header, in one line.
std::string title_in(std::string_view text) {
    std::string title;
    while (!text.empty()) {
        std::string_view line = next_line(text);
        if (!line.starts_with('#')) break;
        line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
        if (!line.empty()) title += (title.empty() ? "" : " ") + std::string(line);
    }
    return title;
}

// In the log of a simulation a step ends with `  # 1.5ms: 0 is holding`, or only the time.
std::string_view time_in(std::string_view line) {
    constexpr std::string_view before = "  # ";
    const auto comment = line.rfind(before);
    if (comment == std::string_view::npos) return {};
    line.remove_prefix(comment + before.size());
    line = line.substr(0, line.find(':'));
    const bool begins = !line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0;
    return begins && line.ends_with('s') && line.find(' ') == std::string_view::npos ? line
                                                                                     : std::string_view();
}

void add_times(std::string_view text, view::Run& run) {
    std::size_t number = 0;
    auto event = run.events.begin();
    while (!text.empty() && event != run.events.end()) {
        const std::string_view time = time_in(next_line(text));
        ++number;
        for (; event != run.events.end() && event->line == number; ++event) event->time = time;
    }
}

}  // namespace

Recording record(const Player& player, std::string_view file_name, std::string_view text,
                 const Window& window) {
    Recorder recorder(window);
    Outcome outcome = player.play(file_name, text, recorder);
    Recording recording = recorder.recording(std::move(outcome));
    recording.run.title = title_in(text);
    add_times(text, recording.run);
    return recording;
}

}  // namespace allot::play
