// The crash-aware semaphore as its paper prints it (Bouillaguet, Arantes and Sens, Algorithm 1), with its
// defects. It is separate because `permits` has other state and other steps.
//
// Replies are counted, not named, so a duplicate does harm (erratum 8). Lines 9 to 14, the request, are
// several steps with messages handled in between (errata 3 to 5): a timer, `next_line`, takes them one at a
// time. A site that detects a crash tells the others and forgets itself (erratum 1).
//
// Each defect that can be corrected by itself is a repair, switched off unless `--with NAME` switches it on.
// Names in comments are the paper's.
#pragma once

#include <optional>
#include <vector>

#include "core/protocol.hpp"

namespace allot {

namespace permits_published {

// The progress of a request; the next step begins here.
enum class Line : std::uint8_t { none, stamp, clear, send, count };
BOOST_DESCRIBE_ENUM(Line, none, stamp, clear, send, count)

}  // namespace permits_published

class PermitsPublished {
public:
    static const Model<PermitsPublished> model;

    struct Config {
        struct Repairs {
            bool apply_crash = false;
            bool stamp_first = false;
            bool count_first = false;
            bool send_at_once = false;
            static constexpr Meaning meanings[]{
                {"apply_crash", "erratum 1: a site that detects a crash also applies it to itself"},
                {"stamp_first", "erratum 3: lines 9 and 10 are one step"},
                {"count_first", "erratum 4: lines 13 and 14 are one step"},
                {"send_at_once", "erratum 5: lines 11 to 14 are one step"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (apply_crash, stamp_first, count_first, send_at_once), (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t permits = 1;
        bool start_up = true;
        bool early_crashes = false;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            {"permits", "number of permits: the number of sites that may hold at once"},
            {"start_up", "off: at the start all sites have acknowledged each other"},
            {"early_crashes", "on: sites may crash before their start is complete"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, permits, start_up, early_crashes, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);

    struct Init {
        bool operator==(const Init&) const = default;
        BOOST_DESCRIBE_CLASS(Init, (), (), (), ())
    };
    struct Ack {
        bool operator==(const Ack&) const = default;
        BOOST_DESCRIBE_CLASS(Ack, (), (), (), ())
    };
    struct Request {
        Stamp stamp;
        bool operator==(const Request&) const = default;
        BOOST_DESCRIBE_CLASS(Request, (), (stamp), (), ())
    };
    struct Reply {
        std::int32_t answers = 1;
        bool operator==(const Reply&) const = default;
        BOOST_DESCRIBE_CLASS(Reply, (), (answers), (), ())
    };
    struct Crash {
        SiteId victim = 0;
        bool operator==(const Crash&) const = default;
        BOOST_DESCRIBE_CLASS(Crash, (), (victim), (), ())
    };
    using Message = std::variant<Init, Ack, Request, Reply, Crash>;
    enum class Timer : std::uint8_t { next_line };
    BOOST_DESCRIBE_NESTED_ENUM(Timer, next_line)
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message, Timer>;
    using Input = allot::Input<Message, input::Timeout<Timer>, input::Detected>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Init& init, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ack& ack, Effects& fx);
    void trusted(const Context& ctx, Peer peer, Effects& fx);
    void suspected(const Context& ctx, Peer peer, Effects& fx);

    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void timeout(const Context& ctx, Timer timer, Effects& fx);
    static bool fair(Timer) { return true; }
    void receive(const Context& ctx, SiteId from, const Request& request, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Reply& reply, Effects& fx);
    void release(const Context& ctx, Effects& fx);

    void dead(const Context& ctx, Peer peer, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Crash& crash, Effects& fx);

    void detected(const Context& ctx, Detection detection, Peer peer, Effects& fx);
    Phase phase() const { return phase_; }
    bool may_request(const Context&) const { return !starting_; }
    bool may_crash(const Context& ctx) const { return !starting_ || ctx.config.early_crashes; }
    std::optional<std::string> state_error(const Context& ctx) const;

    static void on_state(const View<PermitsPublished>& view, Report& report);

    bool operator==(const PermitsPublished&) const = default;

private:
    using Line = permits_published::Line;

    struct Acquaintance {
        bool trusted = false;
        bool parked = false;            // its INIT waits until it is trusted
        bool acked = false;             // while I start: it has acknowledged me, or was suspected
        bool crashed = false;           // crashed_i
        std::int32_t reply_count = 0;   // outstanding answers from it
        std::uint32_t defer_count = 0;  // answers to it that I have deferred
        bool operator==(const Acquaintance&) const = default;
        BOOST_DESCRIBE_CLASS(Acquaintance, (), (trusted, parked, acked, crashed, reply_count, defer_count),
                             (), ())
    };

    void finish_start(const Context& ctx);
    void take_lines(const Context& ctx, Effects& fx);
    void take_line(const Context& ctx, Effects& fx);
    bool pauses(const Context& ctx, Line before) const;
    void skip_to_addressee(const Context& ctx);
    void apply_crash(SiteId victim);
    void try_enter(const Context& ctx, Effects& fx);

    bool starting_ = true;
    Phase phase_ = Phase::idle;        // state_i
    Stamp clock_;                      // H_i
    Stamp last_;                       // last_i
    Line line_ = Line::none;           // progress of the present request
    SiteId addressee_ = 0;             // the j of line 12
    std::int32_t perm_count_ = 0;      // perm_count_i
    std::int32_t alive_ = 0;           // n_i
    std::vector<Acquaintance> peers_;  // by site; my own entry is unused

    BOOST_DESCRIBE_CLASS(PermitsPublished, (), (), (),
                         (starting_, phase_, clock_, last_, line_, addressee_, perm_count_, alive_, peers_))
};

}  // namespace allot
