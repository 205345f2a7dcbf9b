// Borrowers that come back from the dead, and a lender of one permit.
//
// Site 0 lends the permit, the others borrow it. A borrower may join late, crash and be born again; the
// failure detector then tells the lender that the life is dead, and the lender takes the permit back.
//
// A letter of one life may reach the next one. So every letter bears the lives of its sender and of its
// addressee, and whoever is not meant drops it. The detector reports the end of a life only to those whom it
// told to trust that life before, so the lender lends to nobody whom it may not trust yet: such a permit
// might never come back.
//
// A lender that is born again cannot know who has the permit. It lends no more and says so.
#pragma once

#include <boost/container/flat_map.hpp>
#include <optional>
#include <variant>
#include <vector>

#include "core/protocol.hpp"

namespace allot::miniatures {

// The state of a site by its role; outside the class, as in vanishing_client.hpp.
namespace phoenix {

struct Borrower {
    Phase phase = Phase::idle;
    std::optional<std::uint32_t> lender;  // the life of the lender that it may trust
    bool operator==(const Borrower&) const = default;
};
BOOST_DESCRIBE_STRUCT(Borrower, (), (phase, lender))

// The earliest life of a site that may still go on, and whether it may be trusted.
struct Acquaintance {
    std::uint32_t life = 0;
    bool trusted = false;
    bool operator==(const Acquaintance&) const = default;
};
BOOST_DESCRIBE_STRUCT(Acquaintance, (), (life, trusted))

struct Lender {
    boost::container::flat_map<SiteId, Acquaintance> known;
    std::optional<Peer> borrower;
    std::vector<Peer> queue;
    bool operator==(const Lender&) const = default;
};
BOOST_DESCRIBE_STRUCT(Lender, (), (known, borrower, queue))

}  // namespace phoenix

class Phoenix {
public:
    static const Model<Phoenix> model;

    struct Config {
        struct Repairs {
            bool check_addressee = true;
            bool trust_first = true;
            static constexpr Meaning meanings[]{
                {"check_addressee", "a borrower drops letters to an earlier life"},
                {"trust_first", "the lender lends only to those it may trust"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (check_addressee, trust_first), (), ())
        };
        std::uint32_t sites = 3;
        Repairs repairs;
        static constexpr Meaning meanings[]{meaning::sites};
        BOOST_DESCRIBE_CLASS(Config, (), (sites, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    // Whose letter it is, and to whom.
    struct Lives {
        std::uint32_t sender = 0;
        std::uint32_t addressee = 0;
        bool operator==(const Lives&) const = default;
        BOOST_DESCRIBE_CLASS(Lives, (), (sender, addressee), (), ())
    };
    struct Ask {
        Lives lives;
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (lives), (), ())
    };
    struct Lend {
        Lives lives;
        bool operator==(const Lend&) const = default;
        BOOST_DESCRIBE_CLASS(Lend, (), (lives), (), ())
    };
    struct Refuse {
        Lives lives;
        bool operator==(const Refuse&) const = default;
        BOOST_DESCRIBE_CLASS(Refuse, (), (lives), (), ())
    };
    struct Return {
        Lives lives;
        bool operator==(const Return&) const = default;
        BOOST_DESCRIBE_CLASS(Return, (), (lives), (), ())
    };
    using Message = std::variant<Ask, Lend, Refuse, Return>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message, input::Detected>;

    static bool asks(const Context& ctx) { return ctx.self != lender_site; }

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Lend& loan, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Refuse& refuse, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Return& back, Effects& fx);
    void trusted(const Context& ctx, Peer peer, Effects& fx);
    void dead(const Context& ctx, Peer peer, Effects& fx);
    void detected(const Context& ctx, Detection detection, Peer peer, Effects& fx);
    Phase phase() const;

    static void on_state(const View<Phoenix>& view, Report& report);

    bool operator==(const Phoenix&) const = default;

private:
    using Borrower = phoenix::Borrower;
    using Acquaintance = phoenix::Acquaintance;
    using Lender = phoenix::Lender;

    static constexpr SiteId lender_site = 0;
    bool is_for_me(const Context& ctx, const Lives& lives) const;
    void meet(const Context& ctx, Peer peer, bool trusted, Effects& fx);
    static void serve(const Context& ctx, Lender& lender, Effects& fx);
    static bool may_lend(const Context& ctx, const Lender& lender, Peer peer);

    Borrower& borrower() { return std::get<Borrower>(role_); }
    Lender& lender() { return std::get<Lender>(role_); }

    std::variant<Borrower, Lender> role_;

    BOOST_DESCRIBE_CLASS(Phoenix, (), (), (), (role_))
};

}  // namespace allot::miniatures
