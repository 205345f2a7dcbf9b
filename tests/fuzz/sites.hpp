// Sites of any protocol, of which the last one is played by the input: its messages are whatever the bytes
// say, as far as the edge lets them pass (core/model.hpp: message_error, and the site's own `objection`). The
// other sites are honest; their programs ask and let go as programs may.
#pragma once

#include <deque>
#include <exception>
#include <new>
#include <vector>

#include "core/model.hpp"
#include "fuzz/round_trip.hpp"
#include "fuzz/source.hpp"

namespace allot::fuzz {

template <Protocol P>
class Sites {
public:
    using Config = typename P::Config;
    using Context = ContextOf<P>;
    using Message = typename P::Message;

    Sites(Source& source, Config config) : source_(source), config_(std::move(config)) {
        if (P::model.derive != nullptr) P::model.derive(config_);
        sites_.resize(P::model.sites(config_));
        armed_.resize(sites_.size());
        for (SiteId site = 0; site < hostile(); ++site) handle(site, input::Start());
        deliver(most_letters);
    }

    void step() {
        const SiteId site = source_.choice(hostile());
        switch (source_.choice(8)) {
            case 0:
                return ask(site);
            case 1:
                return let_go(site);
            case 2:
                return pass_time(site);
            case 3:
                return deliver(source_.choice(8));
            case 4:
                return repeat(site);
            default:
                return say(site, hostile(), mended(source_.value<Message>(), site));
        }
    }

private:
    static constexpr std::size_t most_letters = 500;
    static constexpr std::size_t most_seen = 16;
    struct Letter {
        SiteId from, to;
        Message message;
    };

    SiteId hostile() const { return static_cast<SiteId>(sites_.size() - 1); }
    Context context(SiteId site) const { return {config_, site, 0}; }

    void handle(SiteId site, const typename P::Input& input) {
        typename P::Effects fx;
        sites_[site].handle(context(site), input, fx);
        for (const auto& send : fx.sends()) {
            demand(send.to < sites_.size());
            if (seen_.size() == most_seen) seen_.pop_front();
            seen_.push_back(send.message);
            if (send.to != hostile() && letters_.size() < most_letters)
                letters_.push_back({site, send.to, send.message});
        }
        for (const auto& change : fx.timers()) {
            demand(change.timer < 64);
            const std::uint64_t bit = std::uint64_t{1} << change.timer;
            armed_[site] = change.armed ? armed_[site] | bit : armed_[site] & ~bit;
        }
        if constexpr (takes<P, input::Synced>)
            if (fx.persisted()) unsynced_ = site;
    }

    void deliver(std::size_t most) {
        for (; most > 0 && !letters_.empty(); --most) {
            const Letter letter = std::move(letters_.front());
            letters_.pop_front();
            say(letter.to, letter.from, letter.message);
        }
    }

    void say(SiteId site, SiteId from, const Message& message) {
        if (message_error<P>(context(site), message)) return;
        if constexpr (requires(const P& one) { one.objection(context(site), from, message); }) {
            if (sites_[site].objection(context(site), from, message)) return;
        } else if constexpr (requires(const P& one) { one.objection(context(site), message); }) {
            if (sites_[site].objection(context(site), message)) return;
        }
        handle(site, input::Receive<Message>{from, message});
    }

    // The hostile site repeats messages of honest ones: these name things that exist.
    void repeat(SiteId site) {
        if (!seen_.empty()) say(site, hostile(), mended(seen_[source_.byte() % seen_.size()], site));
    }

    // Most requests have passed those whom they must have passed.
    Message mended(Message message, SiteId site) {
        if constexpr (requires { typename P::Request; })
            if constexpr (requires(typename P::Request & one) {
                              one.visited.insert(SiteId());
                              one.asks;
                          })
                if (auto* request = std::get_if<typename P::Request>(&message);
                    request && !source_.seldom()) {
                    request->visited.insert(hostile());
                    request->visited.erase(site);
                    for (const auto& ask : request->asks) request->visited.insert(ask.site);
                }
        return message;
    }

    // --- Programs and time.

    void ask(SiteId site) {
        const auto& requests = P::model.requests;
        const Context ctx = context(site);
        if (sites_[site].phase() != Phase::idle || (requests.asks != nullptr && !requests.asks(ctx))) return;
        if (requests.may_request != nullptr && !(sites_[site].*requests.may_request)(ctx)) return;
        std::vector<Demand> demands{{}};
        if (requests.demands != nullptr) demands = requests.demands(ctx);
        if (!demands.empty()) handle(site, input::Request{demands[source_.byte() % demands.size()]});
    }

    void let_go(SiteId site) {
        const Phase phase = sites_[site].phase();
        if (phase == Phase::holding) handle(site, input::Release());
        if constexpr (takes<P, input::Cancel>)
            if (phase == Phase::waiting) handle(site, input::Cancel());
    }

    void pass_time(SiteId site) {
        if constexpr (takes<P, input::Tick>) handle(site, input::Tick());
        if constexpr (takes<P, input::Synced>)
            if (unsynced_) handle(*std::exchange(unsynced_, std::nullopt), input::Synced());
        using Timer = TimerOf<P>;
        if constexpr (takes<P, input::Timeout<Timer>>) {
            const std::uint32_t timer = source_.choice(8);
            const std::uint64_t bit = std::uint64_t{1} << timer;
            if ((armed_[site] & bit) == 0) return;
            armed_[site] &= ~bit;
            handle(site, input::Timeout<Timer>{static_cast<Timer>(timer)});
        }
    }

    Source& source_;
    Config config_;
    std::vector<P> sites_;
    std::vector<std::uint64_t> armed_;
    std::deque<Letter> letters_;
    std::deque<Message> seen_;  // the newest messages of honest sites
    std::optional<SiteId> unsynced_;
};

template <Protocol P>
void play(Source& source, typename P::Config config = {}) {
    Sites<P> sites(source, std::move(config));
    take_steps(source, sites);
}

// Protocols of the laboratory only: there, an assertion, or what a library throws at a wrong use, is a
// finding of the checker (world/step.cpp), and no harm.
template <Protocol P>
void play_in_laboratory(Source& source) {
    try {
        play<P>(source);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace allot::fuzz
