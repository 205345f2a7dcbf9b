#include "swarm/shrink.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/stop.hpp"
#include "swarm/finding.hpp"
#include "walk/notation.hpp"
#include "world/properties.hpp"

namespace allot::swarm {

namespace {

using walk::EnvelopeId;
using walk::Move;
using walk::MoveKind;
using world::InputKind;

// Ten times what any run needed so far; a run that is cut here still fails.
constexpr std::size_t most_steps_tried = 20'000'000;

bool carries(const Move& move) {
    return move.kind == MoveKind::duplicate || move.kind == MoveKind::drop ||
           move.input.kind == InputKind::deliver;
}

bool carries_input(const Move& move) {
    return move.kind == MoveKind::input || move.kind == MoveKind::crash_inside;
}

// If an earlier step is missing, the same message may have another stamp or number. 0: the same message; 3:
// one that cannot replace it.
int distance(const walk::Machine& machine, EnvelopeId wanted, EnvelopeId found) {
    if (wanted == found) return 0;
    const auto& a = machine.envelope(wanted);
    const auto& b = machine.envelope(found);
    if (a.from != b.from || a.to != b.to || machine.kind(wanted) != machine.kind(found)) return 3;
    return a.shape == b.shape ? 1 : 2;
}

bool is_same_step(const Move& one, const Move& other) {
    return one.site == other.site && one.input.kind == other.input.kind &&
           one.input.argument == other.input.argument;
}

std::optional<Move> among(const std::vector<Move>& moves, const Move& wanted) {
    const auto place =
        std::ranges::find_if(moves, [&](const Move& one) { return is_same_step(one, wanted); });
    return place == moves.end() ? std::nullopt : std::optional(*place);
}

bool sees(const Move& move) {
    return move.kind == MoveKind::input && move.input.kind == InputKind::see;
}

// The possible step that is most like the wanted one.
std::optional<Move> most_alike(PartialRun& partial, const Move& wanted) {
    if (wanted.kind == MoveKind::crash)
        return among(partial.walker().crashes(partial.here(), wanted.site), wanted);
    if (wanted.kind == MoveKind::cut)
        return among(partial.walker().channel_changes(partial.here(), wanted.kind), wanted);
    std::optional<Move> best;
    int nearest = 3;
    for (const Move& move : partial.walker().inputs(partial.here())) {
        int far = 3;
        if (carries(wanted))
            far = move.input.kind == InputKind::deliver
                      ? distance(partial.machine(), wanted.envelope, move.envelope)
                      : 3;
        else if (is_same_step(move, wanted))
            far = 0;
        else if (sees(wanted) && sees(move) && move.site == wanted.site)
            far = 2;  // without an earlier step, views may be others
        if (far >= nearest) continue;
        nearest = far;
        best = move;
    }
    return best;
}

std::optional<Move> possible(PartialRun& partial, const Move& wanted) {
    auto move = most_alike(partial, wanted);
    if (!move) return std::nullopt;
    switch (wanted.kind) {
        case MoveKind::duplicate:
            if (partial.budget().duplicate == 0) return std::nullopt;
            return Move{.kind = wanted.kind, .envelope = move->envelope};
        case MoveKind::drop:
            if (partial.budget().lose == 0) return std::nullopt;
            return Move{.kind = wanted.kind, .envelope = move->envelope};
        case MoveKind::crash_inside:
            move->kind = wanted.kind;
            move->sent = wanted.sent;
            move->fair = false;
            if (!can_be_cut_short(partial, *move)) return std::nullopt;
            return move;
        default:
            break;
    }
    return move;
}

class Replay {
public:
    Replay(walk::Machine& machine, const walk::World& start, const Finding& like)
        : walker_(machine), start_(start), like_(like) {}

    std::size_t steps() const { return steps_; }

    std::optional<Shrunk> take(const std::vector<Move>& moves) {
        PartialRun partial(walker_, start_);
        for (const Move& wanted : moves) {
            if (partial.broken()) break;
            if (const auto move = possible(partial, wanted)) partial.take(*move);
        }
        const std::size_t before_closing = partial.moves().size();
        Closing closing{Ending::broken};
        if (!partial.broken() && like_.site) closing = close(partial, nullptr);
        steps_ += moves.size() + partial.moves().size();
        const auto finding = finding_of(partial, closing);
        if (!finding || finding->property != like_.property) return std::nullopt;
        std::vector<Move> taken = partial.moves();
        if (closing.ending == Ending::unserved) taken.resize(before_closing);
        return Shrunk{std::move(taken), *finding};
    }

private:
    walk::Walker walker_;
    const walk::World& start_;
    const Finding& like_;
    std::size_t steps_ = 0;
};

// One pass over the run that leaves out `part` steps at a time. True if the run became shorter.
bool shorten(Replay& replay, std::size_t part, Shrunk& best) {
    bool shorter = false;
    for (std::size_t at = 0; at < best.moves.size() && replay.steps() < most_steps_tried;) {
        stop::poll();
        std::vector<Move> rest(best.moves.begin(), best.moves.begin() + static_cast<std::ptrdiff_t>(at));
        if (at + part < best.moves.size())
            rest.insert(rest.end(), best.moves.begin() + static_cast<std::ptrdiff_t>(at + part),
                        best.moves.end());
        auto found = replay.take(rest);
        if (found && found->moves.size() < best.moves.size()) {
            best = std::move(*found);
            shorter = true;
        } else {
            at += part;
        }
    }
    return shorter;
}

// Without the faults that the header allows but no step uses.
std::string header_for(const std::string& header, const std::vector<Move>& moves) {
    const auto any = [&](auto uses) { return std::any_of(moves.begin(), moves.end(), uses); };
    const auto by_kind = [&](MoveKind kind) {
        return any([=](const Move& move) { return move.kind == kind; });
    };
    const auto by_input = [&](InputKind kind) {
        return any([=](const Move& move) { return carries_input(move) && move.input.kind == kind; });
    };
    const auto by_disk = [&](Disk disk) {
        return any([=](const Move& move) {
            return move.kind == MoveKind::crash && static_cast<Disk>(move.input.argument) == disk;
        });
    };
    const std::array<std::pair<std::string_view, bool>, 13> faults{
        {{"crashes=", by_kind(MoveKind::crash) || by_kind(MoveKind::crash_inside)},
         {"restarts=", by_input(InputKind::start)},
         {"leaves=", by_input(InputKind::leave)},
         {"cancel=", by_input(InputKind::cancel)},
         {"duplicate=", by_kind(MoveKind::duplicate)},
         {"lose=", by_kind(MoveKind::drop)},
         {"cuts=", by_kind(MoveKind::cut)},
         {"expulsions=", by_kind(MoveKind::agree)},
         {"lapses=", by_input(InputKind::lapse)},
         {"pauses=", by_input(InputKind::pause)},
         {"false-claims=", by_input(InputKind::claim)},
         {"lost-disks=", by_disk(Disk::lost)},
         {"restored-disks=", by_disk(Disk::restored)}}};
    std::string kept;
    std::istringstream words(header);
    for (std::string word; words >> word;) {
        const bool unused = std::any_of(faults.begin(), faults.end(), [&](const auto& fault) {
            return word.starts_with(fault.first) && !fault.second;
        });
        if (!unused) kept += (kept.empty() ? "" : " ") + word;
    }
    return kept;
}

std::string phase_after(walk::Machine& machine, const walk::World& start, const std::vector<Move>& moves,
                        SiteId site) {
    walk::Walker walker(machine);
    PartialRun partial(walker, start);
    for (const Move& move : moves) partial.take(move);
    return std::string(enum_name(partial.site(site).phase));
}

}  // namespace

std::optional<Shrunk> retake(walk::Machine& machine, const walk::World& start, const std::vector<Move>& moves,
                             const Finding& like) {
    return Replay(machine, start, like).take(moves);
}

Shrunk shrink(const Run& run) {
    Shrunk best{run.moves, *run.finding};
    if (run.finding->property == unserved_property) best.moves.resize(run.closing);
    Replay replay(*run.machine, run.start, *run.finding);
    try {
        for (std::size_t part = (best.moves.size() + 1) / 2; part > 1; part = (part + 1) / 2)
            shorten(replay, part, best);
        while (shorten(replay, 1, best)) {
        }
    } catch (const stop::Due&) {  // the shortest run so far fails, too
    }
    return best;
}

std::string scenario_of(walk::Machine& machine, const walk::World& start, const std::vector<Move>& moves,
                        const std::optional<Finding>& finding, const std::string& command) {
    std::vector<std::string> comments;
    std::vector<std::string> expectations;
    if (finding) {
        comments.push_back(finding->property + ": " + finding->detail);
        const std::string site = finding->site ? " " + std::to_string(*finding->site) : "";
        if (finding->property == world::deadlock.name)
            expectations.push_back("expect stuck" + site);
        else if (finding->property == unserved_property)
            expectations.push_back("expect " + phase_after(machine, start, moves, *finding->site) + site);
        else
            expectations.push_back("expect violation " + finding->property);
    }
    comments.push_back(command);
    machine.set_header(header_for(machine.header(), moves));
    return walk::scenario_text(machine, start, moves, {}, comments, expectations);
}

}  // namespace allot::swarm
