// The councils of three hosts, which keep the register. Two are honest; the third one says whatever the input
// says, as far as the edge of a host lets it pass (host/objection.hpp).
#include <array>
#include <deque>
#include <functional>

#include "fuzz/round_trip.hpp"
#include "fuzz/source.hpp"
#include "host/objection.hpp"

namespace allot::agreement {
namespace {

using fuzz::Source;

constexpr SiteId hostile = 2;
constexpr std::size_t most_letters = 2000;

class World {
public:
    explicit World(Source& source) : source_(source) {
        config_.hosts = 3;
        config_.voters = {0, 1, 2};
        config_.formed = source.coin();
        config_.succeeds = source.coin();
        host_config_.hosts = 3;
        known_.members = {{0, 0}, {1, 0}, {2, 0}};
        for (SiteId one = 0; one < hostile; ++one)
            act(one, [](Council& council, const Council::Self& at, CouncilEffects& fx) {
                council.start(at, true, fx);
            });
    }

    void step() {
        const SiteId one = source_.choice(hostile);
        switch (source_.choice(8)) {
            case 0:
                return begin(one);
            case 1:
                return act(one, [](Council& council, const Council::Self& at, CouncilEffects& fx) {
                    council.tick(at, fx);
                });
            case 2:
                return act(one, [](Council& council, const Council::Self& at, CouncilEffects& fx) {
                    council.met(at, hostile, fx);
                });
            case 3:
                return restart(one);
            case 4:
                return answer(one);
            default:
                return say(one, hostile, mended(source_.value<CouncilMessage>()));
        }
    }

private:
    struct Letter {
        SiteId from, to;
        CouncilMessage message;
    };

    Council::Self self(SiteId one) const { return {config_, one, incarnations_[one], settings_, 0}; }

    void act(SiteId one, const std::function<void(Council&, const Council::Self&, CouncilEffects&)>& action) {
        step_of(one, action);
        for (std::size_t count = 0; !letters_.empty() && count < most_letters; ++count) {
            const Letter letter = std::move(letters_.front());
            letters_.pop_front();
            receive(letter.to, letter.from, letter.message);
        }
        letters_.clear();
    }

    using Action = std::function<void(Council&, const Council::Self&, CouncilEffects&)>;
    void step_of(SiteId one, const Action& action) {
        CouncilEffects fx;
        action(councils_[one], self(one), fx);
        for (const CouncilEffects::Send& send : fx.sends) {
            fuzz::demand(send.to < 3);
            if (send.to == hostile) to_hostile_.push_back(send.message);
            if (send.to < hostile && send.to != one) letters_.push_back({one, send.to, send.message});
        }
        if (fx.persist)
            step_of(one, [](Council& council, const Council::Self& at, CouncilEffects& out) {
                council.synced(at, out);
            });
    }

    void receive(SiteId one, SiteId from, const CouncilMessage& message) {
        const host::Edge edge{host_config_, one, 3, known_, views_};
        if (host::objection(edge, from, message)) return;
        step_of(one, [&](Council& council, const Council::Self& at, CouncilEffects& fx) {
            council.receive(at, from, message, fx);
        });
    }

    void say(SiteId one, SiteId from, const CouncilMessage& message) {
        act(one, [&](Council&, const Council::Self&, CouncilEffects&) { receive(one, from, message); });
    }

    // --- What the honest hosts do.

    void begin(SiteId one) {
        if (councils_[one].inner().busy()) return;
        Change change = source_.value<Change>();
        const bool reads = source_.coin();
        act(one, [&](Council& council, const Council::Self& at, CouncilEffects& fx) {
            council.begin(at, reads ? Operation::quick : Operation::exchange,
                          reads ? Change{} : std::move(change), fx);
        });
    }

    void restart(SiteId one) {
        councils_[one] = councils_[one].after_crash(Disk::kept);
        ++incarnations_[one];
        act(one, [](Council& council, const Council::Self& at, CouncilEffects& fx) {
            council.start(at, false, fx);
        });
    }

    // --- What the hostile one says.

    // Its own name stands where the edge demands it, mostly.
    CouncilMessage mended(CouncilMessage message) {
        if (source_.seldom()) return message;
        std::visit(
            [&](auto& one) {
                if constexpr (requires { one.sender; }) one.sender.site = hostile;
                if constexpr (requires {
                                  one.ballot;
                                  one.record;
                              })
                    one.ballot.host = hostile;
                if constexpr (requires { one.record; })
                    if (source_.coin()) one.record = councils_[0].inner().record();
            },
            message);
        return message;
    }

    // To what it was asked, it gives the answer that is wanted, with a content of its own.
    void answer(SiteId one) {
        if (to_hostile_.empty()) return;
        const std::size_t place = to_hostile_.size() - 1 - source_.choice(8) % to_hostile_.size();
        const CouncilMessage question = to_hostile_[place];
        const Peer sender{hostile, 0};
        if (const auto* prepare = std::get_if<Framed<Prepare>>(&question))
            say(one, hostile, Framed<Promise>{{prepare->ballot, {}, source_.value<Value>()}, sender, {}, {}});
        else if (const auto* accept = std::get_if<Framed<Accept>>(&question))
            say(one, hostile, Framed<Accepted>{{accept->ballot}, sender, {}, {}});
        else if (const auto* read = std::get_if<Framed<Read>>(&question))
            say(one, hostile,
                Framed<ReadAnswer>{{read->question, {}, source_.value<Value>()}, sender, {}, {}});
        else if (const auto* asked = std::get_if<WhichRank>(&question))
            say(one, hostile, HeardRank{asked->sender.incarnation, source_.value<VoterRank>()});
        else
            say(one, hostile, mended(question));
    }

    Source& source_;
    CouncilConfig config_;
    host::Config host_config_;
    Settings settings_;
    Value known_;
    host::Views views_;
    std::array<Council, 2> councils_;
    std::array<std::uint32_t, 2> incarnations_{};
    std::deque<Letter> letters_;
    std::vector<CouncilMessage> to_hostile_;
};

}  // namespace
}  // namespace allot::agreement

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return allot::fuzz::run<allot::agreement::World>(data, size);
}
