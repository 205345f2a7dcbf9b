// Records a scenario that is played as a run that can be drawn.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "play/player.hpp"
#include "view/run.hpp"

namespace allot::play {

// The part of a run that is recorded, by lines of the file. The part before it is played and not kept.
struct Window {
    std::size_t first_line = 0;
    std::size_t last_line = ~std::size_t{0};
    std::size_t most_events = 0;
};

struct Recording {
    Outcome outcome;  // of the whole scenario
    view::Run run;
    bool is_full = false;  // the part has more events than the window allows
};

Recording record(const Player& player, std::string_view file_name, std::string_view text,
                 const Window& window);

class Recorder : public Audience {
public:
    explicit Recorder(const Window& window) : window_(window) {}

    void beginning(const Stage& stage) override;
    void step(std::size_t line, const std::string& text, const Stage& stage, const walk::Move& move,
              const Taken& taken) override;
    void note(std::size_t line, const std::string& text, const std::string& result) override;
    void rewritten(const Stage& stage) override;
    void violated(const Report& report) override;

    Recording recording(Outcome outcome) { return {std::move(outcome), std::move(run_), full_}; }

private:
    // A message in flight: its place in the run, once that is recorded.
    using Place = std::optional<std::uint32_t>;

    bool begins_event(std::size_t line, const Stage& stage, const walk::World& before);
    void begin_run(const Stage& stage, const walk::World& before);
    void note_sites(const Stage& stage, const walk::World& before);
    void follow(const Stage& stage, const walk::Move& move, const Taken& taken);
    void compare_flight(const Stage& stage);
    void send(const Stage& stage, walk::EnvelopeId id, bool copied);
    Place end(walk::EnvelopeId id, view::Fate fate);
    std::uint32_t add_message(const Stage& stage, walk::EnvelopeId id, std::optional<std::uint32_t> sent);
    std::uint32_t newest() const { return static_cast<std::uint32_t>(run_.events.size() - 1); }

    const Window window_;
    view::Run run_;
    bool full_ = false;
    bool recording_ = false;  // the newest step is the newest event of the run
    bool begun_ = false;
    bool lossy_ = false;  // links deliver a message any number of times
    walk::World world_;   // after the newest step
    std::vector<boost::json::value> states_;
    std::map<walk::EnvelopeId, std::vector<Place>> open_;  // by content; the oldest first
    std::size_t line_ = 0;                                 // the newest line that is no step
    std::string text_;
};

}  // namespace allot::play
