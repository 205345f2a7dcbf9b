// A member of a cluster, everything that a daemon decides: the sessions of programs, the host that serves
// them, and its part in the register, if the hosts keep that themselves. The daemon and the laboratory
// (cluster.hpp) are shells around this machine.
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "host/host.hpp"
#include "host/sessions.hpp"
#include "protocols/agreement/council.hpp"

namespace allot::host {

class Member {
public:
    struct Config {
        SessionConfig sessions;
        host::Config host;
        std::optional<agreement::CouncilConfig> council;  // none: the shell has a register
        std::uint32_t least_view = 0;  // in which this host has worked: a register with less has forgotten
    };
    // The surroundings of a handler.
    struct Self {
        const Config& config;
        SiteId host;
        std::uint32_t incarnation = 0;  // of the daemon, as in Host::Self
        std::uint32_t fresh_disk = 0;   // as in Council::Self
        std::uint64_t now_ms = 0;       // of the calendar, for people to see
    };
    using Message = boost::mp11::mp_append<host::Message, agreement::CouncilMessage>;
    // A call is one to the register of the shell. The sessions have taken the host's answers.
    struct Effects : host::Effects, SessionEffects {
        std::vector<agreement::CouncilEffects::Send> council_sends;
        bool persist = false;  // the files of the council have changed: write them

        // Keeps the memory, for the effects of the next input.
        void clear() {
            host::Effects::clear();
            SessionEffects::clear();
            council_sends.clear();
            persist = false;
        }

        // Calls f(host, message) for all messages.
        template <class F>
        void for_each_send(F&& f);
    };

    Member() = default;
    explicit Member(agreement::Council::Files files) : council_(std::move(files)) {}

    // The first input. `first`: this host has never run. The host is started next, by `act`.
    void start(const Self& self, bool first, Effects& fx);
    // An input of the host: `action(host, its surroundings, its effects)`.
    template <class Action>
    void act(const Self& self, Effects& fx, Action&& action);
    // An input of the sessions, likewise.
    template <class Action>
    void converse(const Self& self, Effects& fx, Action&& action);
    // A lease that an earlier daemon gave, under this incarnation; its program still runs. To be called
    // before the host has seen a view. Returns whether the program is waited for.
    bool adopt(const Self& self, Lease lease, std::uint32_t keeper, Effects& fx);
    // The register of the shell has answered.
    void returned(const Self& self, const agreement::Value& value, Effects& fx);
    // It shows a value that answers no call.
    void learned(const Self& self, const agreement::Value& value, Effects& fx);
    void receive(const Self& self, SiteId from, const Message& message, Effects& fx);
    // A link to that host is up: it may have missed what was said before.
    void met(const Self& self, SiteId host, Effects& fx);
    void synced(const Self& self, Effects& fx);
    // Ticks that have passed at once. The register is asked after them: a hold-off must not count ticks from
    // before the moment in which this host saw the removal.
    void tick(const Self& self, Effects& fx, std::uint32_t passed = 1, bool late = false);

    // Ticks until one changes anything, if nothing else happens before.
    Ticks due_in(const Self& self) const;

    const Sessions& sessions() const { return sessions_; }
    const Host& host() const { return host_; }
    Host& host() { return host_; }
    const agreement::Council& council() const { return council_; }
    // The view of a register that has forgotten later ones, and is not obeyed.
    const std::optional<std::uint32_t>& forgotten_view() const { return forgotten_view_; }
    // Whether it shall leave for good, but nobody else can keep the register.
    bool must_stay(const Self& self) const;
    // The member that the next daemon of this host starts from.
    Member after_crash(Disk disk) const;

    Sessions::Self sessions_self(const Self& self) const;
    static Host::Self host_self(const Self& self) { return {self.config.host, self.host, self.incarnation}; }
    agreement::Council::Self council_self(const Self& self) const;

    bool operator==(const Member&) const = default;

private:
    void receive_as_host(const Self& self, SiteId from, const auto& message, Effects& fx);
    void receive_as_council(const Self& self, SiteId from, const agreement::CouncilMessage& message,
                            Effects& fx);
    template <class Action>
    void consult(const Self& self, Effects& fx, Action&& action);
    void call_council(const Self& self, Effects& fx);
    void change_voters(const Self& self, Effects& fx);
    bool hands_on(const Self& self, const agreement::Change& change) const;
    void hand_on(const Self& self, Effects& fx);
    bool votes(const Self& self) const;
    bool goes_for_good(const Self& self) const { return !host_.settings().may_vote(self.host); }
    std::optional<agreement::Change> succession(const Self& self, bool departs) const;
    void pass_answers(const Self& self, Effects& fx);
    void end_requests(const Self& self, Effects& fx);
    void free_unheld(const Self& self, Effects& fx);

    Sessions sessions_;
    Host host_;
    agreement::Council council_;
    std::optional<std::uint32_t> forgotten_view_;
    bool changes_voters_ = false;  // the call under way may do so

    BOOST_DESCRIBE_CLASS(Member, (), (), (), (sessions_, host_, council_, forgotten_view_, changes_voters_))
};

template <class Action>
void Member::act(const Self& self, Effects& fx, Action&& action) {
    action(host_, host_self(self), static_cast<host::Effects&>(fx));
    pass_answers(self, fx);
    if (fx.call && self.config.council) call_council(self, fx);
}

template <class Action>
void Member::converse(const Self& self, Effects& fx, Action&& action) {
    action(sessions_, sessions_self(self), static_cast<SessionEffects&>(fx));
    if (!fx.ends.empty()) end_requests(self, fx);
    for (const SessionEffects::Ask& ask : fx.asks)
        act(self, fx, [&](Host& host, const Host::Self& inner, host::Effects& out) {
            host.ask(inner, ask.key, ask.want, out, ask.terms);
        });
    fx.asks.clear();
    for (const Key& key : fx.returns)
        act(self, fx, [&](Host& host, const Host::Self& inner, host::Effects& out) {
            host.give_back(inner, key, out);
        });
    fx.returns.clear();
    if (!fx.freed.empty()) free_unheld(self, fx);
}

template <class F>
void Member::Effects::for_each_send(F&& f) {
    for (Send& send : sends) std::visit([&](auto& message) { f(send.to, std::move(message)); }, send.message);
    for (agreement::CouncilEffects::Send& send : council_sends)
        std::visit([&](auto& message) { f(send.to, std::move(message)); }, send.message);
}

}  // namespace allot::host
