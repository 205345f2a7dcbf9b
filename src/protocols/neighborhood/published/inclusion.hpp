// `inclusion` as the paper prints it (Algorithms 1 and 2), defects included. Permissions are counted, not
// remembered; a permission is asked back from a site, not from one of its requests; and an arbiter looks for
// one to ask back only when a request arrives.
//
// The listing does not define the arrival of a Relinquish from a site without a permission: --late undefined
// stops there, grant hands out the next permission as in other cases, ignore does nothing.
#pragma once

#include <array>
#include <boost/container/flat_set.hpp>
#include <optional>
#include <variant>

#include "core/protocol.hpp"
#include "protocols/neighborhood/instance.hpp"

namespace allot {

namespace neighborhood {

enum class LateRelinquish : std::uint8_t { undefined, grant, ignore };
BOOST_DESCRIBE_ENUM(LateRelinquish, undefined, grant, ignore)

}  // namespace neighborhood

class InclusionPublished {
public:
    static const Model<InclusionPublished> model;

    struct Config : neighborhood::Neighborhood {
        struct Repairs {
            bool start_out = false;
            static constexpr Meaning meanings[]{
                {"start_out", "erratum 1: the sites that start out have permissions to be out"},
            };
            BOOST_DESCRIBE_CLASS(Repairs, (), (start_out), (), ())
        };
        neighborhood::LateRelinquish late = neighborhood::LateRelinquish::undefined;
        Repairs repairs;
        Config();
        static constexpr Meaning meanings[]{
            {"late",
             "a Relinquish from a site without a permission: undefined stops there, grant hands out the next "
             "permission, ignore does nothing"},
        };
        BOOST_DESCRIBE_CLASS(Config, (Neighborhood), (late, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    struct Request {
        Stamp stamp;
        bool operator==(const Request&) const = default;
        BOOST_DESCRIBE_CLASS(Request, (), (stamp), (), ())
    };
    struct Grant {
        Stamp clock;
        bool operator==(const Grant&) const = default;
        BOOST_DESCRIBE_CLASS(Grant, (), (clock), (), ())
    };
    struct Release {
        bool operator==(const Release&) const = default;
        BOOST_DESCRIBE_CLASS(Release, (), (), (), ())
    };
    struct Preempt {
        bool operator==(const Preempt&) const = default;
        BOOST_DESCRIBE_CLASS(Preempt, (), (), (), ())
    };
    struct Relinquish {
        bool operator==(const Relinquish&) const = default;
        BOOST_DESCRIBE_CLASS(Relinquish, (), (), (), ())
    };
    using Message = std::variant<Request, Grant, Release, Preempt, Relinquish>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context& ctx, Effects& fx);
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Request& request, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Grant& grant, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Release& release, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Preempt& preempt, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Relinquish& relinquish, Effects& fx);
    Phase phase() const { return phase_; }
    Stamp clock() const { return clock_; }

    static bool mortal(const Context&) { return false; }
    static void on_state(const View<InclusionPublished>& view, Report& report);

    bool operator==(const InclusionPublished&) const = default;

private:
    using StampedSite = std::pair<Stamp, SiteId>;
    using StampedSites = boost::container::flat_set<StampedSite>;

    bool in() const { return phase_ == Phase::holding || phase_ == Phase::leaving; }
    void grant_next(Effects& fx);
    static std::optional<StampedSite> take(StampedSites& entries, SiteId site);

    Phase phase_ = Phase::idle;         // state
    Stamp clock_;                       // ts
    std::int32_t grants_ = 0;           // nGrants
    StampedSites granted_;              // grantedTo
    StampedSites pending_;              // pendingReq
    std::optional<SiteId> preempting_;  // preemptingNow

    BOOST_DESCRIBE_CLASS(InclusionPublished, (), (), (),
                         (phase_, clock_, grants_, granted_, pending_, preempting_))
};

}  // namespace allot
