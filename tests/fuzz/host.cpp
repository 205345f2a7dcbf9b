// Three hosts of one epoch. Two are honest and talk to each other; the third one is played by the input: its
// messages are whatever the bytes say, in any order, between requests of programs, ticks, and new views.
// Nothing but an objection may come of it: no assertion, no crash, no memory without bound.
#include "host/host.hpp"

#include <deque>

#include "fuzz/round_trip.hpp"
#include "fuzz/source.hpp"
#include "host/objection.hpp"
#include "host/sessions.hpp"

namespace allot::host {
namespace {

using fuzz::Source;

constexpr SiteId hostile = 2;
constexpr std::size_t most_letters = 2000;

const Config& config() {
    static const Config all = [] {
        Config one;
        one.locks.seats = 3;
        one.hosts = 3;
        one.lease = 6;
        one.grace = 1;
        one.hold_off = 7;
        one.renew_every = 2;
        one.silence = 4;
        one.most_early_bytes = 20'000;
        one.settings.semaphores["s0"] = {1, 1};
        one.settings.semaphores["s1"] = {3, 2};
        return one;
    }();
    return all;
}

class World {
public:
    explicit World(Source& source) : source_(source) {
        for (SiteId one = 0; one < hostile; ++one) hosts_[one].start(self(one), true, true);
        for (SiteId one = 0; one < hostile; ++one)
            act(one, [](Host& host, const Host::Self& at, Effects& fx) { host.call_register(at, fx); });
        for (int tick = 0; tick < 2; ++tick) pass();
        join();
    }

    void step() {
        const SiteId one = source_.choice(hostile);
        switch (source_.choice(12)) {
            case 0:
                return ask(one);
            case 1:
                return release(one);
            case 2:
                return pass();
            case 3:
                return join();
            case 4:
                return report(one);
            case 5:
                return answer(one);
            case 6:
                return act(one,
                           [&](Host& host, const Host::Self& at, Effects& fx) { host.met(at, hostile, fx); });
            case 7:
                return resize(one);
            default:
                return disturb(one);
        }
    }

private:
    struct Letter {
        SiteId from, to;
        Message message;
    };

    static Host::Self self(SiteId host) { return {config(), host, 1000}; }

    template <class Action>
    void act(SiteId one, Action action) {
        Effects fx;
        action(hosts_[one], self(one), fx);
        carry_out(one, fx);
        deliver();
    }

    void deliver() {
        for (std::size_t count = 0; !letters_.empty() && count < most_letters; ++count) {
            const Letter letter = std::move(letters_.front());
            letters_.pop_front();
            Effects fx;
            hosts_[letter.to].receive(self(letter.to), letter.from, letter.message, fx);
            carry_out(letter.to, fx);
        }
        letters_.clear();
    }

    // The status, and messages that are kept for later.
    void look_at(SiteId one) const {
        const Host& host = hosts_[one];
        for (const agreement::Kept& kept : host.unheld(self(one)))
            Sessions::held_by({.want = kept.want, .fences = kept.fences, .ownership = kept.ownership}, {});
        const std::size_t most = config().most_early_bytes / sizeof(std::pair<SiteId, Frame>);
        fuzz::demand(host.views().early_frames().size() <= 2 * most);
        fuzz::demand(host.erring().size() <= 4);
    }

    void carry_out(SiteId one, const Effects& fx) {
        look_at(one);
        for (const Effects::Send& send : fx.sends) {
            fuzz::demand(send.to < 3 && send.to != one);
            if (send.to == hostile)
                to_hostile_.push_back(send.message);
            else
                letters_.push_back({one, send.to, send.message});
        }
        if (!fx.call) return;
        const agreement::Value& known = hosts_[one].known();
        if (fx.call->change && known.version == value_.version)
            value_ = fx.call->change->applied_to(value_, {one, 0, ++values_});
        Effects next;
        hosts_[one].returned(self(one), value_, next);
        carry_out(one, next);
    }

    // --- Programs and time.

    void ask(SiteId one) {
        Want want;
        for (const char* name : {"a", "b", "c", "d"})
            if (source_.coin()) want.locks.emplace_back(name);
        if (source_.seldom()) want.permits["s0"] = 1;
        if (source_.coin()) want.permits["s1"] = 1 + source_.choice(2);
        if (want.parts() == 0 || tickets_[one] - first_[one] > 20) return;
        const Key key{1, ++tickets_[one]};
        Terms terms;
        if (source_.seldom()) terms.owner = "owner";
        act(one, [&](Host& host, const Host::Self& at, Effects& fx) { host.ask(at, key, want, fx, terms); });
    }

    void release(SiteId one) {
        if (first_[one] == tickets_[one]) return;
        const Key key{1, ++first_[one]};
        act(one, [&](Host& host, const Host::Self& at, Effects& fx) {
            host.release(at, key, fx);
            host.settle(at, fx);
        });
    }

    void pass() {
        for (SiteId one = 0; one < hostile; ++one)
            act(one, [](Host& host, const Host::Self& at, Effects& fx) { host.tick(at, fx); });
    }

    void resize(SiteId one) {
        agreement::Settings settings = hosts_[one].settings();
        settings.semaphores["s0"] = {1 + source_.choice(3), 1};
        act(one, [&](Host& host, const Host::Self& at, Effects& fx) { host.propose(at, settings, fx); });
    }

    // --- The hostile host.

    // It becomes a member, in its next life if it is one, and reports as a newcomer.
    void join() {
        std::erase_if(value_.members, [](const Peer& one) { return one.site == hostile; });
        agreement::Change change{.members = value_.members};
        change.members.push_back({hostile, ++life_});
        value_ = change.applied_to(value_, {hostile, 0, ++values_});
        for (SiteId one = 0; one < hostile; ++one) say(one, Learn{value_});
        for (int tick = 0; tick < 2; ++tick) pass();
        for (SiteId one = 0; one < hostile; ++one)
            say(one, HostReport{.view = value_.view, .fresh = true, .part = {}});
    }

    void say(SiteId one, const Message& message) {
        act(one,
            [&](Host& host, const Host::Self& at, Effects& fx) { host.receive(at, hostile, message, fx); });
    }

    // A report to the newest view, of whatever it holds.
    void report(SiteId one) {
        auto report = source_.value<HostReport>();
        report.view = value_.view;
        say(one, report);
    }

    // A message that it was sent comes back, perhaps to the other one: so tokens travel.
    void answer(SiteId one) {
        if (to_hostile_.empty()) return;
        const std::size_t place = to_hostile_.size() - 1 - source_.choice(8) % to_hostile_.size();
        Message message = to_hostile_[place];
        if (auto* frame = std::get_if<Frame>(&message))
            if (auto* locks = std::get_if<Locks::Message>(&frame->message)) {
                std::swap(locks->from_seat, locks->to_seat);
                if (auto* request = std::get_if<Counters::Request>(&locks->message)) serve(*locks, *request);
            }
        say(one, message);
    }

    // Gives the tokens that a request asks for.
    void serve(Locks::Message& message, const Counters::Request& request) {
        Counters::Tokens arrival;
        for (const counters::Ask& ask : request.asks) {
            auto token = source_.value<counters::Token>();
            token.resource = ask.resource;
            arrival.tokens.push_back(std::move(token));
        }
        message.message = std::move(arrival);
    }

    void disturb(SiteId one) {
        auto message = source_.value<Message>();
        if (auto* frame = std::get_if<Frame>(&message)) {
            frame->epoch = value_.view - (source_.seldom() ? 1 : 0);
            const bool is_about_locks = std::holds_alternative<Locks::Message>(frame->message);
            if (is_about_locks) frame->kind = {};
            if (is_about_locks) mend(std::get<Locks::Message>(frame->message));
        }
        // Versions that hide all later values are a lie that the edge cannot see.
        if (auto* learn = std::get_if<Learn>(&message)) learn->value.version = value_.version;
        say(one, message);
    }

    // Most requests have passed those whom they must have passed.
    void mend(Locks::Message& message) {
        auto* request = std::get_if<Counters::Request>(&message.message);
        if (request == nullptr || source_.seldom()) return;
        request->visited.insert(message.from_seat * 3 + hostile);
        for (const counters::Ask& ask : request->asks) request->visited.insert(ask.site);
    }

    Source& source_;
    std::array<Host, 2> hosts_;
    agreement::Value value_;
    std::uint32_t values_ = 0;
    std::uint32_t life_ = 0;
    std::array<std::uint64_t, 2> tickets_{};
    std::array<std::uint64_t, 2> first_{};  // before this one, all are released
    std::deque<Letter> letters_;
    std::vector<Message> to_hostile_;
};

}  // namespace
}  // namespace allot::host

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return allot::fuzz::run<allot::host::World>(data, size);
}
