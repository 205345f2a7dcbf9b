// The seats of one protocol on one host. Drives the same steps as checker and simulator (world/step.hpp); a
// message between two seats of this host goes through a queue, all others through `post`.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "core/bytes.hpp"
#include "core/model.hpp"
#include "daemon/space.hpp"
#include "host/line.hpp"
#include "world/instance_of.hpp"
#include "world/step.hpp"

namespace allot::daemon {

// What only some protocols can say of a site; each may be null.
template <class P>
struct SpaceQuestions {
    // How many resources of the demand could be used here without a message.
    std::size_t (*at_hand)(const P&, const Demand&) = nullptr;
    // For each resource whose token is here, the sites that wait for it, in order.
    std::map<ResourceId, std::vector<SiteId>> (*queues)(const P&) = nullptr;
    // Where tokens went: f(resource, site, hop), as far as is known here; no site: the token is here.
    void (*for_each_place)(const P&, FunctionRef<void(ResourceId, std::optional<SiteId>, Stamp)>) = nullptr;
};

template <Protocol P>
class SpaceOf final : public Space {
public:
    SpaceOf(typename P::Config config, const Seating& seating, Post post, SpaceQuestions<P> questions = {})
        : instance_(std::move(config)),
          questions_(questions),
          seating_(seating),
          post_(std::move(post)),
          step_(instance_) {}

    void request(Claim claim, const Demand& demand) override {
        line_.append(claim, demand);
        settle();
    }

    void release(Claim claim) override {
        if (line_.withdraw(claim, {})) return settle();
        const auto place = seat_of_.find(claim);
        if (place == seat_of_.end()) return;
        const std::uint32_t index = place->second;
        vacate(index);
        SiteOf<P>& site = seats_[index].site;
        if (site.application.phase == Phase::holding)
            take(index, [&](SiteId self) { step_.release(self, site); });
        else if (site.application.phase == Phase::waiting)
            take(index, [&](SiteId self) { step_.cancel(self, site); });
        settle();
    }

    bool deliver(SiteId from, SiteId to, std::string_view bytes) override {
        if (from >= seating_.sites() || to >= seating_.sites() || seating_.host_of(to) != seating_.self ||
            seating_.host_of(from) == seating_.self)
            return false;
        auto message = from_bytes<Message>(bytes);
        if (!message || !valid<P>({instance_.config(), to}, *message)) return false;
        // Nobody is here: what is said to the dead vanishes.
        if ((hears_deaths() && seats_.empty()) || !closed_.empty()) return true;
        inbox_.push_back({{from, to}, std::move(*message)});
        settle();
        return true;
    }

    void trusted(HostId host, std::uint32_t life) override {
        known_[host].trusted = life + 1;
        for (std::uint32_t i = 0; i < seats_.size(); ++i) tell(i, host, world::InputKind::trusted, life);
        settle();
    }

    void dead(HostId host, std::uint32_t life) override {
        known_[host].dead = life + 1;
        for (std::uint32_t i = 0; i < seats_.size(); ++i) tell(i, host, world::InputKind::dead, life);
        settle();
    }

    void begin_life(std::uint32_t life) override {
        life_ = life;
        open_seat();
        settle();
    }

    void end_life(const std::string& why) override {
        for (auto seat = seats_.rbegin(); seat != seats_.rend(); ++seat) {
            if (!seat->claim) continue;
            line_.leave_seat(*seat->claim, {});
            if (seat->site.application.phase == Phase::holding)
                answers_.push_back({Answer::Kind::lost, *seat->claim, {}, why});
            else
                line_.prepend(*seat->claim, seat->site.application.demand);
        }
        seats_.clear();
        seat_of_.clear();
        inbox_.clear();
    }

    bool begun() const override { return !seats_.empty(); }

    void stand(bool standing, const std::string& why) override {
        standing_ = standing;
        for (auto i = static_cast<std::uint32_t>(seats_.size()); !standing && i-- > 0;)
            if (seats_[i].claim) unseat(i, why);
        settle();
    }

    void holders_stopped() override {
        for (std::uint32_t i = 0; i < seats_.size(); ++i) {
            SiteOf<P>& site = seats_[i].site;
            if (!seats_[i].claim && site.application.phase == Phase::holding)
                take(i, [&](SiteId self) { step_.release(self, site); });
        }
        settle();
    }

    void close(const std::string& why) override {
        closed_ = why;
        for (std::uint32_t i = 0; i < seats_.size(); ++i) {
            const Seat& seat = seats_[i];
            if (!seat.claim || seat.site.application.phase != Phase::waiting) continue;
            answers_.push_back({Answer::Kind::refused, *seat.claim, {}, why});
            vacate(i);
        }
        refuse_waiting(why);
    }
    void obstruct(const std::string& why) override {
        obstacle_ = why;
        if (!why.empty()) refuse_waiting(why);
    }
    const std::string& closed() const override { return closed_.empty() ? obstacle_ : closed_; }

    bool takes_part() const override {
        return std::ranges::any_of(seats_,
                                   [&](const Seat& seat) { return instance_.may_request(0, seat.site); });
    }

    SpaceView view() const override {
        SpaceView view;
        for (std::uint32_t i = 0; i < seats_.size(); ++i) {
            const Seat& seat = seats_[i];
            if (seat.claim) view.taken.push_back({seating_.site(seating_.self, i), *seat.claim});
            if (questions_.queues != nullptr)
                for (auto& [resource, waiters] : questions_.queues(seat.site.protocol))
                    view.tokens.push_back({resource.name(), std::move(waiters)});
        }
        return view;
    }

    std::vector<Place> places(const std::function<bool(const Place&)>& wanted) const override {
        std::map<std::string, Place> known;
        const auto note = [&](ResourceId resource, std::optional<SiteId> site, Stamp hop) {
            const std::string& lock = resource.name();
            const Place place{lock, site ? seating_.host_of(*site) : seating_.self, hop, !site};
            Place& best = known.try_emplace(lock, place).first->second;
            if (place.is_better_than(best)) best = place;
        };
        for (const Seat& seat : seats_)
            if (questions_.for_each_place != nullptr) questions_.for_each_place(seat.site.protocol, note);
        std::vector<Place> found;
        for (auto& [lock, place] : known)
            if (wanted(place)) found.push_back(std::move(place));
        return found;
    }

    std::string saved() const override {
        return to_bytes(Saved{seats_, line_.waiting(), inbox_, known_, life_, closed_});
    }

    bool resume(std::string_view bytes) override {
        auto saved = from_bytes<Saved>(bytes);
        if (!saved || saved->seats.size() > seating_.seats) return false;
        seats_ = std::move(saved->seats);
        inbox_ = std::move(saved->inbox);
        known_ = std::move(saved->known);
        life_ = saved->life;
        closed_ = saved->closed;
        seat_of_.clear();
        for (std::uint32_t i = 0; i < seats_.size(); ++i)
            if (seats_[i].claim) go_on(i, *seats_[i].claim);
        for (host::Line::Entry& one : saved->waiting) line_.append(one.claim, std::move(one.demand));
        settle();
        return true;
    }

private:
    using Message = typename P::Message;

    struct Seat {
        SiteOf<P> site;
        std::optional<Claim> claim;
        BOOST_DESCRIBE_CLASS(Seat, (), (site, claim), (), ())
    };
    // The latest life (plus 1) that was trusted, and that was reported dead.
    struct Known {
        std::uint32_t trusted = 0;
        std::uint32_t dead = 0;
        BOOST_DESCRIBE_CLASS(Known, (), (trusted, dead), (), ())
    };
    struct Saved {
        std::deque<Seat> seats;
        std::vector<host::Line::Entry> waiting;
        std::deque<EnvelopeOf<Message>> inbox;
        std::map<HostId, Known> known;
        std::uint32_t life = 0;
        std::string closed;
        BOOST_DESCRIBE_CLASS(Saved, (), (seats, waiting, inbox, known, life, closed), (), ())
    };

    // --- Seats.

    void open_seat() {
        seats_.emplace_back();
        begin(static_cast<std::uint32_t>(seats_.size() - 1));
    }

    void begin(std::uint32_t index) {
        SiteOf<P>& site = seats_[index].site;
        site = SiteOf<P>{};
        if (life_ > 0) {
            site.standing = Standing::down;  // of an earlier life
            site.incarnation = life_ - 1;
        }
        take(index, [&](SiteId self) { step_.start(self, site, unbounded_requests); });
        for (std::uint32_t i = 0; i < seats_.size(); ++i) {
            if (i == index) continue;
            tell_of(index, seating_.site(seating_.self, i), world::InputKind::trusted, life_);
            tell_of(i, seating_.site(seating_.self, index), world::InputKind::trusted, life_);
        }
        for (const auto& [host, known] : known_) {
            if (known.dead > 0) tell(index, host, world::InputKind::dead, known.dead - 1);
            if (known.trusted > known.dead) tell(index, host, world::InputKind::trusted, known.trusted - 1);
        }
    }

    void occupy(std::uint32_t index, Claim claim) {
        seats_[index].claim = claim;
        seat_of_[claim] = index;
        line_.seat(claim, {});
    }

    // A saved seat goes on with its claim.
    void go_on(std::uint32_t index, Claim claim) {
        const Application& application = seats_[index].site.application;
        line_.append(claim, application.demand);
        occupy(index, claim);
        if (application.phase == Phase::holding) line_.enter(claim);
    }

    void vacate(std::uint32_t index) {
        const Claim claim = *std::exchange(seats_[index].claim, std::nullopt);
        seat_of_.erase(claim);
        line_.leave_seat(claim, {});
    }

    // Takes a seat from who has it. A seat that holds does so until its holder has stopped.
    void unseat(std::uint32_t index, const std::string& why) {
        Seat& seat = seats_[index];
        const Claim claim = *seat.claim;
        vacate(index);
        if (seat.site.application.phase == Phase::holding) {
            answers_.push_back({Answer::Kind::lost, claim, {}, why});
        } else {
            line_.prepend(claim, seat.site.application.demand);
            take(index, [&](SiteId self) { step_.cancel(self, seat.site); });
        }
    }

    // The free seat that needs the fewest messages.
    std::optional<std::uint32_t> free_seat(const Demand& demand) {
        std::optional<std::uint32_t> best;
        std::size_t most = 0;
        bool coming = false;
        for (std::uint32_t i = 0; i < seats_.size(); ++i) {
            const Seat& seat = seats_[i];
            if (seat.claim || seat.site.application.phase != Phase::idle) continue;
            if (!instance_.may_request(0, seat.site)) {
                coming = true;
                continue;
            }
            const std::size_t here =
                questions_.at_hand != nullptr ? questions_.at_hand(seat.site.protocol, demand) : 0;
            if (!best || here > most) {
                best = i;
                most = here;
            }
        }
        if (!best && !coming && seats_.size() < seating_.seats) {
            open_seat();
            return free_seat(demand);
        }
        return best;
    }

    // --- Steps.

    template <class Step>
    void take(std::uint32_t index, Step&& step) {
        const SiteId self = seating_.site(seating_.self, index);
        step(self);
        if (!step_.report().clean()) return fail(step_.report().detail());
        for (std::size_t i = 0; i < step_.fx().send_count(); ++i) {
            const auto [to, kind, any] = step_.fx().send_at(i);
            const auto& message = *static_cast<const Message*>(any);
            if (seating_.host_of(to) == seating_.self)
                inbox_.push_back({{self, to}, message});
            else
                post_(self, to, to_bytes(message));
        }
        for (const Notice& notice : step_.fx().notices()) handle_notice(index, notice);
    }

    void handle_notice(std::uint32_t index, const Notice& notice) {
        Seat& seat = seats_[index];
        if (!seat.claim) return;
        const Claim claim = *seat.claim;
        if (notice.kind == Notice::Kind::granted) {
            line_.enter(claim);
            answers_.push_back(
                {Answer::Kind::granted, claim, notice.fences, {}, seating_.site(seating_.self, index)});
            return;
        }
        if (notice.kind == Notice::Kind::released) return;
        vacate(index);
        answers_.push_back({notice.kind == Notice::Kind::refused ? Answer::Kind::refused : Answer::Kind::lost,
                            claim,
                            {},
                            notice.reason.empty() ? "the grant was revoked" : notice.reason});
    }

    void refuse_waiting(const std::string& why) {
        for (const host::Line::Entry& one : line_.waiting()) {
            answers_.push_back({Answer::Kind::refused, one.claim, {}, why});
            line_.withdraw(one.claim, {});
        }
    }

    // An invariant is broken: nothing that this space would say could be relied on.
    void fail(const std::string& why) {
        if (!closed_.empty()) return;
        log_error(std::string(instance_.facts().name) + " stops: " + why);
        close("stopped after an internal fault: " + why);
    }

    void tell(std::uint32_t seat, HostId host, world::InputKind kind, std::uint32_t life) {
        for (std::uint32_t i = 0; i < seating_.seats; ++i) tell_of(seat, seating_.site(host, i), kind, life);
    }

    void tell_of(std::uint32_t seat, SiteId peer, world::InputKind kind, std::uint32_t life) {
        if (hears_deaths()) {
            take(seat, [&](SiteId self) { step_.detect(self, seats_[seat].site, kind, {peer, life}); });
        }
    }

    // Delivers what seats of this host say to each other, and seats who waits, until nothing is left to do.
    void settle() {
        do {
            while (!inbox_.empty() && closed_.empty() && begun()) {
                const EnvelopeOf<Message> letter = std::move(inbox_.front());
                inbox_.pop_front();
                const std::uint32_t index = seat_for(letter.to);
                take(index, [&](SiteId self) { step_.deliver(self, seats_[index].site, letter); });
            }
        } while (closed_.empty() && seat_next());
    }

    bool seat_next() {
        if (seats_.empty() || !standing_) return false;
        const host::Line::Entry* next = line_.next({});
        if (next == nullptr) return false;
        const Claim claim = next->claim;
        const Demand demand = next->demand;
        const auto place = free_seat(demand);
        if (!closed_.empty()) return false;  // a fault, and nobody waits any more
        if (!place) return !inbox_.empty();
        occupy(*place, claim);
        take(*place, [&](SiteId self) { step_.request(self, seats_[*place].site, demand); });
        return true;
    }

    // A seat that nobody has used yet may be written to: it is opened then.
    std::uint32_t seat_for(SiteId site) {
        const std::uint32_t index = seating_.seat_of(site);
        while (seats_.size() <= index) open_seat();
        return index;
    }

    bool hears_deaths() const { return instance_.facts().listens(Detection::dead); }

    const world::InstanceOf<P> instance_;
    const SpaceQuestions<P> questions_;
    const Seating seating_;
    std::uint32_t life_ = 0;
    bool standing_ = !hears_deaths();
    const Post post_;
    world::Stepper step_;
    std::deque<Seat> seats_;
    std::map<Claim, std::uint32_t> seat_of_;
    host::Line line_;  // for a seat
    std::deque<EnvelopeOf<Message>> inbox_;
    std::map<HostId, Known> known_;
    std::string closed_;
    std::string obstacle_;
};

}  // namespace allot::daemon
