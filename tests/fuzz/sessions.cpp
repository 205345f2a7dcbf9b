// The sessions of one host: programs that connect, ask, follow, resume and vanish in any order, and say
// whatever the input says. A host has no more requests than its programs may open.
#include "host/sessions.hpp"

#include <map>

#include "fuzz/round_trip.hpp"
#include "fuzz/source.hpp"
#include "host/member.hpp"

namespace allot::host {
namespace {

using fuzz::Source;

const Member::Config& config() {
    static const Member::Config all = [] {
        Member::Config one;
        one.host.settings.semaphores["s0"] = {.permits = 1, .max_request = 1};
        one.host.settings.semaphores["s1"] = {.permits = 3, .max_request = 2};
        one.host.locks.seats = 3;
        one.host.silence = 0;
        one.sessions.limits.sessions = 6;
        one.sessions.limits.requests_per_session = 4;
        one.sessions.limits.locks_per_request = 3;
        one.sessions.end_at_once = 1;
        one.sessions.modes = {{.names = {"d"}, .sticky = true}, {.names = {"c"}, .fence = true}};
        return one;
    }();
    return all;
}

class World {
public:
    explicit World(Source& source) : source_(source) {
        act([](Host& host, const Host::Self& at, Effects&) { host.start(at, true, true); });
        act([](Host& host, const Host::Self& at, Effects& fx) { host.call_register(at, fx); });
    }

    void step() {
        const SessionId session = 1 + source_.choice(8);
        if (member_.sessions().is_ending(session)) go_on(session);
        switch (source_.choice(10)) {
            case 0:
                return hello();
            case 1:
                return disconnected(session);
            case 2:
                return converse([&](Sessions& all, const Sessions::Self& at, SessionEffects& fx) {
                    if (all.find(session) != nullptr) all.expired(at, session, ticket(), fx);
                });
            case 3:
                return follow(session);
            case 4:
                return converse([&](Sessions& all, const Sessions::Self& at, SessionEffects& fx) {
                    all.evict(at, source_.value<ResourceId>(), source_.byte(), "an operator says so", fx);
                });
            case 5:
                return converse([&](Sessions&, const Sessions::Self& at, SessionEffects& fx) {
                    Sessions::return_left(at, caller(), source_.value<std::string>(), fx);
                });
            case 6:
                return tick();
            default:
                return speak(session);
        }
    }

private:
    static Member::Self self() { return {config(), 0, 1000, 0, 1}; }
    Caller caller() {
        return {.user = source_.coin() ? "ann" : "bob",
                .is_local = source_.coin(),
                .allowances = {},
                .process = {}};
    }
    std::optional<Ticket> ticket() {
        return source_.coin() ? std::optional<Ticket>(source_.choice(5)) : std::nullopt;
    }

    template <class Action>
    void act(Action action) {
        Member::Effects fx;
        member_.act(self(), fx, action);
        carry_out(fx);
    }
    template <class Action>
    void converse(Action action) {
        Member::Effects fx;
        member_.converse(self(), fx, action);
        carry_out(fx);
    }

    // The register answers at once.
    void carry_out(Member::Effects& fx) {
        std::size_t open = 0;
        for (const auto& [number, session] : member_.sessions().all()) open += session.open.size();
        fuzz::demand(open <= std::size_t{config().sessions.limits.sessions} *
                                 config().sessions.limits.requests_per_session);
        if (!fx.call) return;
        const agreement::Value& known = member_.host().known();
        if (fx.call->change && known.version == value_.version)
            value_ = fx.call->change->applied_to(value_, {0, 0, ++values_});
        Member::Effects next;
        member_.returned(self(), value_, next);
        if (++depth_ < 8) carry_out(next);
        --depth_;
    }

    void hello() {
        const SessionId number = ++numbers_;
        const auto greeting = source_.value<session::Hello>();
        const auto by = caller();
        converse([&](Sessions& all, const Sessions::Self& at, SessionEffects& fx) {
            static_cast<void>(all.hello(at, {number, "secret", by}, greeting, fx));
        });
    }

    void disconnected(SessionId session) {
        converse([&](Sessions& all, const Sessions::Self& at, SessionEffects& fx) {
            if (all.find(session) == nullptr) return;
            source_.coin() ? all.disconnected(at, session, fx) : all.ended(at, session, fx);
        });
    }

    void follow(SessionId session) {
        const Ticket which = source_.choice(5);
        converse([&](Sessions& all, const Sessions::Self& at, SessionEffects& fx) {
            if (all.find(session) == nullptr) return;
            if (source_.coin())
                static_cast<void>(all.follow(at, {session, which}));
            else
                all.follower_ended(at, {session, which}, fx);
        });
    }

    void go_on(SessionId session) {
        converse([&](Sessions& all, const Sessions::Self& at, SessionEffects& fx) {
            static_cast<void>(all.go_on(at, session, fx));
            fuzz::demand(all.is_ending(session) != fx.unfinished.empty());
        });
    }

    void tick() {
        Member::Effects fx;
        member_.tick(self(), fx);
        carry_out(fx);
    }

    // Only a session with a connection is heard.
    void speak(SessionId session) {
        const auto message = source_.value<session::ClientMessage>();
        const Session* known = member_.sessions().find(session);
        if (known == nullptr || !known->connected) return;
        std::visit(
            [&](const auto& one) {
                if constexpr (requires(Sessions & all, const Sessions::Self& at, SessionEffects& fx) {
                                  all.hear(at, session, one, fx);
                              })
                    converse([&](Sessions& all, const Sessions::Self& at, SessionEffects& fx) {
                        all.hear(at, session, one, fx);
                    });
            },
            message);
    }

    Source& source_;
    Member member_;
    agreement::Value value_;
    std::uint32_t values_ = 0;
    SessionId numbers_ = 0;
    int depth_ = 0;
};

}  // namespace
}  // namespace allot::host

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return allot::fuzz::run<allot::host::World>(data, size);
}
