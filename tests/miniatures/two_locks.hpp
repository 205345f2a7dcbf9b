// Two locks, a and b. Site 0 keeps a, site 1 keeps b, and every site may ask for either or for both.
//
// A keeper lends its lock in the order of the requests and numbers every loan with a fence that only grows.
// Whoever wants both asks for a first, whatever order it named them in, so nobody waits in a circle; the
// fences come in the order it named them.
//
// A cancelled request gives back what it has, withdraws what it asked for, and waits: either the keeper says
// Withdrawn, or the lock was under way already and is sent back when it arrives. FIFO links make sure that it
// is one or the other.
#pragma once

#include <boost/container/flat_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/protocol.hpp"

namespace allot::miniatures {

class TwoLocks {
public:
    static const Model<TwoLocks, FencesGrow> model;

    struct Config {
        struct Repairs {
            bool return_late_lock = true;
            bool number_every_loan = true;
            static constexpr Meaning meanings[]{
                {"return_late_lock", "a lock that arrives after the cancellation is sent back"},
                {"number_every_loan", "every loan has a number, not only those that somebody waited for"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (return_late_lock, number_every_loan), (), ())
        };
        std::uint32_t sites = 2;
        Repairs repairs;
        static constexpr Meaning meanings[]{meaning::sites};
        BOOST_DESCRIBE_CLASS(Config, (), (sites, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    struct Ask {
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (), (), ())
    };
    struct Lend {
        Fence fence;
        bool operator==(const Lend&) const = default;
        BOOST_DESCRIBE_CLASS(Lend, (), (fence), (), ())
    };
    struct Return {
        bool operator==(const Return&) const = default;
        BOOST_DESCRIBE_CLASS(Return, (), (), (), ())
    };
    struct Withdraw {
        bool operator==(const Withdraw&) const = default;
        BOOST_DESCRIBE_CLASS(Withdraw, (), (), (), ())
    };
    struct Withdrawn {
        bool operator==(const Withdrawn&) const = default;
        BOOST_DESCRIBE_CLASS(Withdrawn, (), (), (), ())
    };
    using Message = std::variant<Ask, Lend, Return, Withdraw, Withdrawn>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message, input::Cancel>;

    // Odd sites name the locks the other way round.
    static std::vector<Demand> demands(const Context& ctx);

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Lend& loan, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Return& back, Effects& fx);
    void cancel(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Withdraw& withdraw, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Withdrawn& withdrawn, Effects& fx);
    Phase phase() const { return phase_; }

    static void on_state(const View<TwoLocks>& view, Report& report);

    bool operator==(const TwoLocks&) const = default;

private:
    static ResourceId lock_of(SiteId keeper) { return keeper == 0 ? "a" : "b"; }
    static SiteId keeper_of(ResourceId lock) { return lock == "a" ? 0 : 1; }
    static bool is_lost(const View<TwoLocks>& view, SiteId keeper);
    // The first lock in the order of names that is wanted and not here yet.
    std::optional<ResourceId> missing() const;
    void give_back(Effects& fx);
    void rest(Effects& fx);
    void lend(Effects& fx);

    // As one who asks.
    Phase phase_ = Phase::idle;
    std::vector<ResourceId> wanted_;                       // in the caller's order
    boost::container::flat_map<ResourceId, Fence> loans_;  // locks that are here

    // As a keeper.
    std::optional<SiteId> borrower_;
    std::vector<SiteId> queue_;
    Fence fence_;  // of the present loan or, while there is none, of the next one

    BOOST_DESCRIBE_CLASS(TwoLocks, (), (), (), (phase_, wanted_, loans_, borrower_, queue_, fence_))
};

}  // namespace allot::miniatures
