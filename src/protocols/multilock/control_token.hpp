// Several locks through one control token (after Bouabdallah and Laforest 2000).
//
// Each resource has a token. A site that wants some of them first gets the control token, which moves as in
// path.hpp and carries a register: for each resource either its token or the site that asked for it last.
// With the control token, a site puts in the tokens that it keeps from earlier requests, takes out those that
// it needs, and asks for each other token directly at the site that asked last before it. Then it enters
// itself in the register. All sites pass the register one after the other, so the waiting lines agree on the
// order of any two requests, and there is no cycle of waiting.
//
// A site that is asked hands the token over when the request that it was registered with has ended. An
// inquiry names that request: it may come so late that the site has registered for the same resource again,
// and then two inquiries for one resource are in flight to it, of which only one means the token that it
// keeps.
//
// There are four readings of how long a site keeps the control token (`--control`):
//     pass      until the inquiries are sent
//     hold      until every inquiry is answered, by tokens or by word that they will come
//     lock      until the site has all its tokens and enters
//     section   until it releases its resources: one holder at a time, whatever they ask for
//
// It tolerates no crash: tokens may get lost with a site.
#pragma once

#include <boost/container/flat_map.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/protocol.hpp"
#include "core/random.hpp"
#include "protocols/multilock/meanings.hpp"
#include "protocols/multilock/path.hpp"

namespace allot {

namespace multilock {

enum class Control : std::uint8_t { pass, hold, lock, section };
BOOST_DESCRIBE_ENUM(Control, pass, hold, lock, section)

// The entry of a resource in the register: its token is inside ...
struct Inside {
    Fence fence;  // of the newest grant
    bool operator==(const Inside&) const = default;
};
BOOST_DESCRIBE_STRUCT(Inside, (), (fence))

// ... or with, or on its way to, the site that asked last, with this one of its requests.
struct Latest {
    SiteId site = 0;
    Stamp request;
    bool operator==(const Latest&) const = default;
};
BOOST_DESCRIBE_STRUCT(Latest, (), (site, request))

// A resource that no site has asked for has no entry: its token is inside.
using Register = boost::container::flat_map<ResourceId, std::variant<Inside, Latest>>;
// Tokens by the names of resources, with the fence of the newest grant.
using TokenSet = boost::container::flat_map<ResourceId, Fence>;

struct Inquiry {
    ResourceId resource;
    Stamp request;  // of the asked site when it registered
    bool operator==(const Inquiry&) const = default;
};
BOOST_DESCRIBE_STRUCT(Inquiry, (), (resource, request))

}  // namespace multilock

class ControlToken {
public:
    static const Model<ControlToken, FencesGrow> model;

    struct Config {
        struct Repairs {
            bool numbered_inquiries = true;
            static constexpr Meaning meanings[]{
                {"numbered_inquiries", "an inquiry names its request"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (numbered_inquiries), (), ())
        };
        std::uint32_t sites = 3;
        std::uint32_t resources = 2;
        std::uint32_t max_request = 0;
        multilock::Control control = multilock::Control::pass;
        Repairs repairs;
        static constexpr Meaning meanings[]{
            meaning::sites,
            multilock::resources_meaning,
            multilock::max_request_meaning,
            {"control",
             "a site keeps the control token until: pass, the inquiries are sent; hold, they are answered; "
             "lock, the site enters; section, it releases"},
        };
        BOOST_DESCRIBE_CLASS(Config, (), (sites, resources, max_request, control, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    struct Ask {
        SiteId asker = 0;
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (asker), (), ())
    };
    struct Control {
        multilock::Register entries;
        bool operator==(const Control&) const = default;
        BOOST_DESCRIBE_CLASS(Control, (), (entries), (), ())
    };
    struct Inquire {
        std::vector<multilock::Inquiry> inquiries;
        bool operator==(const Inquire&) const = default;
        BOOST_DESCRIBE_CLASS(Inquire, (), (inquiries), (), ())
    };
    // Only with `--control hold`: those of the inquired tokens that are available at once, perhaps none.
    struct Answer {
        multilock::TokenSet tokens;
        bool operator==(const Answer&) const = default;
        BOOST_DESCRIBE_CLASS(Answer, (), (tokens), (), ())
    };
    struct Tokens {
        multilock::TokenSet tokens;
        bool operator==(const Tokens&) const = default;
        BOOST_DESCRIBE_CLASS(Tokens, (), (tokens), (), ())
    };
    using Message = std::variant<Ask, Control, Inquire, Answer, Tokens>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Control& control, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Inquire& inquire, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Answer& answer, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Tokens& tokens, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    Phase phase() const { return phase_; }
    std::optional<std::string> state_error(const Context& ctx) const;

    static void on_state(const View<ControlToken>& view, Report& report);

    bool operator==(const ControlToken&) const = default;

private:
    using Inquiries = boost::container::flat_map<SiteId, Inquire>;

    void consult_register(const Context& ctx, Effects& fx);
    void put_in(const Context& ctx, Effects& fx);
    void take_out(const Context& ctx, ResourceId resource, Inquiries& inquiries);
    void leave_after_answers(Effects& fx);
    bool means_open_request(const Context& ctx, const multilock::Inquiry& inquiry) const;
    void take(const multilock::TokenSet& tokens);
    void try_enter(const Context& ctx, Effects& fx);
    void hand_on(Effects& fx);

    static const multilock::Register* find_register(const View<ControlToken>& view, Report& report);
    static void check_tokens(const View<ControlToken>& view, const multilock::Register& entries,
                             Report& report);
    static void check_tree(const View<ControlToken>& view, Report& report);
    bool has_or_awaits(ResourceId resource, Stamp request) const;

    Phase phase_ = Phase::idle;
    Stamp request_;                                         // curId: the number of my newest request
    std::vector<ResourceId> wanted_;                        // D: in the caller's order
    multilock::Path<multilock::Register> control_;          // CT
    multilock::TokenSet mine_;                              // tokens for the open request
    multilock::TokenSet kept_;                              // hold \ mine: from earlier requests
    boost::container::flat_map<ResourceId, SiteId> heirs_;  // next: inquirers for tokens that I want or hold
    std::uint32_t unanswered_ = 0;                          // inquiries; counted only with `--control hold`

    BOOST_DESCRIBE_CLASS(ControlToken, (), (), (),
                         (phase_, request_, wanted_, control_, mine_, kept_, heirs_, unanswered_))
};

}  // namespace allot
