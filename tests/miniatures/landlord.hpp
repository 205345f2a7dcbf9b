// A landlord with one room and a bad memory.
//
// Site 0 lets the room to one tenant after the other, for a number of ticks. A tenant counts them from the
// moment in which it asks, so it leaves in time however long the answer was on its way. The landlord counts
// more of them, from its answer: clocks differ. It notes on its disk that the room is let before it answers,
// and after a crash it waits once more for the whole time.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/protocol.hpp"

namespace allot::miniatures {

class Landlord {
public:
    static const Model<Landlord> model;

    struct Config {
        struct Repairs {
            bool note_first = true;
            bool wait_longer = true;
            static constexpr Meaning meanings[]{
                {"note_first", "the landlord answers when its note is on the disk"},
                {"wait_longer", "the landlord waits for as long as clocks may differ"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (note_first, wait_longer), (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t term = 1;
        std::uint32_t tolerance = 0;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"term", "ticks for which a tenant has the room"},
            {"tolerance", "ticks by which clocks may differ"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, term, tolerance, repairs), (), ())
    };

    struct Ask {
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (), (), ())
    };
    struct Let {
        bool operator==(const Let&) const = default;
        BOOST_DESCRIBE_CLASS(Let, (), (), (), ())
    };
    using Message = std::variant<Ask, Let>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message, input::Synced, input::Tick>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Let& let, Effects& fx);
    void synced(const Context& ctx, Effects& fx);
    void tick(const Context& ctx, Effects& fx);
    Phase phase() const { return phase_; }

    bool operator==(const Landlord&) const = default;

private:
    void let_to_next(const Context& ctx, Effects& fx);
    void answer(Effects& fx);
    static std::uint32_t whole_time(const Config& config);
    Landlord after_crash(Disk disk) const;
    static void sample(Draw& draw);
    static void on_state(const View<Landlord>& view, Report& report);

    // A tenant.
    Phase phase_ = Phase::idle;
    std::uint32_t left_ = 0;  // ticks
    // The landlord.
    bool let_ = false;                 // as its note says
    std::optional<bool> synced_note_;  // on the disk, while another one is being written
    std::uint32_t wait_ = 0;           // ticks until the room is free
    std::optional<SiteId> answer_;     // the tenant whose answer waits for the note
    std::vector<SiteId> queue_;

    BOOST_DESCRIBE_CLASS(Landlord, (), (), (), (phase_, left_, let_, synced_note_, wait_, answer_, queue_))
};

}  // namespace allot::miniatures
