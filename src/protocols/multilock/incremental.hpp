// The incremental way to several locks: take them one after the other, always in the same order.
//
// Each resource has its own token, which moves as in path.hpp. A site asks for the first of its resources in
// the order of their names, for the second when it has the first, and so on; with the last one it holds them
// all. No waiting site has a resource that comes after the one it waits for, so there is no cycle of waiting.
//
// The price is the domino effect: a waiting site keeps what it has, others wait for that and keep what they
// have, and in the end few of many resources are in use.
//
// A site knows a resource from the first message about it; before that, the token is at site 0, where it
// started. It tolerates no crash: tokens may get lost with a site.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/protocol.hpp"
#include "core/random.hpp"
#include "protocols/agreement/fallback.hpp"
#include "protocols/multilock/meanings.hpp"
#include "protocols/multilock/path.hpp"

namespace allot {

class Incremental : public agreement::Fallback<Incremental> {
public:
    static const Model<Incremental, FencesGrow> model;

    struct Config {
        std::uint32_t sites = 3;
        std::uint32_t resources = 2;
        std::uint32_t max_request = 0;
        static constexpr Meaning meanings[]{meaning::sites, multilock::resources_meaning,
                                            multilock::max_request_meaning};
        BOOST_DESCRIBE_CLASS(Config, (), (sites, resources, max_request), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);

    struct Ask {
        ResourceId resource;
        SiteId asker = 0;
        bool operator==(const Ask&) const = default;
        BOOST_DESCRIBE_CLASS(Ask, (), (resource, asker), (), ())
    };
    struct Token {
        ResourceId resource;
        Fence fence;  // of the newest grant
        bool operator==(const Token&) const = default;
        BOOST_DESCRIBE_CLASS(Token, (), (resource, fence), (), ())
    };
    using Message = std::variant<Ask, Token>;
    using Context = allot::Context<Config>;
    using Effects = allot::Effects<Message>;
    using Input = allot::Input<Message>;

    void handle(const Context& ctx, const Input& input, Effects& fx);
    void start(const Context&, Effects&) {}
    void request(const Context& ctx, const Demand& demand, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Ask& ask, Effects& fx);
    void receive(const Context& ctx, SiteId from, const Token& token, Effects& fx);
    void release(const Context& ctx, Effects& fx);
    Phase phase() const { return phase_; }
    std::optional<std::string> state_error(const Context& ctx) const;

    static void on_state(const View<Incremental>& view, Report& report);

    // Recovery (agreement/fallback.hpp).
    static Incremental at_start(const Context& ctx, const agreement::Users& users);
    template <class F>
    void for_each_token(F f) const {
        for (const auto& [resource, path] : paths_)
            if (path.token) f(resource);
    }
    template <class F>
    static void for_each_token(const Message& message, F f) {
        if (const auto* token = std::get_if<Token>(&message)) f(token->resource);
    }

    bool operator==(const Incremental&) const = default;

private:
    using Path = multilock::Path<Fence>;

    Path& path(const Context& ctx, ResourceId resource);
    Path path_seen(SiteId self, ResourceId resource) const;
    bool has(ResourceId resource) const;
    std::optional<ResourceId> first_missing() const;
    void go_on(const Context& ctx, Effects& fx);
    void enter(Effects& fx);

    static boost::container::flat_set<ResourceId> known(const View<Incremental>& view);
    static void check_resource(const View<Incremental>& view, ResourceId resource, Report& report);
    static void check_site(const SiteOf<Incremental>& site, Report& report);

    Phase phase_ = Phase::idle;
    std::vector<ResourceId> wanted_;                      // in the caller's order
    boost::container::flat_map<ResourceId, Path> paths_;  // of the resources that this site knows

    BOOST_DESCRIBE_CLASS(Incremental, (), (), (), (phase_, wanted_, paths_))
};

}  // namespace allot
