// Who of the other hosts lives: the failure detector, for the protocols that listen to one (semaphores).
//
// The seats of a host that listen are in a *life*, which all hosts know by its number. A life is declared
// over
// - when the kernel says that the process of the daemon is gone, without a goodbye: exact, where both run
//   under one kernel;
// - when a majority of the hosts has heard nothing from it for `dead_after`, also if it was stopped in order.
//   Each says so to all others (Refused), and keeps to it, also if it is killed in between: it answers no
//   sign of life (Alive) of that life any more.
//
// A host lends seats only while it has *standing*: a majority of the hosts (counting itself and those that
// the kernel watches for it) has answered a sign of life that it sent less than `dead_after` ago. Two
// majorities have a host in common, so whose life is declared over has lost its standing before, by its own
// clock, also if it was stopped meanwhile, or hears others but is not heard. It has told its programs by then
// that they have lost what they held. As soon as it learns that its life was declared over it begins a new
// one, after those programs have stopped. If all hosts lose their standing at once, no life ends.
//
// In every case programs may go on for a while with what they held, so a life counts as over only
// `stop_within` after it was declared so: by then they have noticed that their daemon is gone, or have been
// told, and have stopped (docs/lock-manager.md).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/boot_clock.hpp"
#include "daemon/config.hpp"
#include "daemon/letters.hpp"
#include "net/loop.hpp"
#include "net/mesh.hpp"
#include "net/timer.hpp"

namespace allot::daemon {

class Vigil {
public:
    using Clock = BootClock;  // who wakes up after a long sleep must not believe that it still stands
    using Lives = std::vector<std::uint32_t>;  // by host
    struct Events {
        std::function<void(net::HostId host, std::uint32_t life)> trusted;
        std::function<void(net::HostId host, std::uint32_t life)> dead;
        std::function<void(std::uint32_t life)> begin_life;
        std::function<void(const std::string& why)> end_life;
        // Without standing no seat may be used; its holders have stopped when the second is called.
        std::function<void(bool standing, const std::string& why)> standing;
        std::function<void()> holders_stopped;
        std::function<void(net::HostId to, const Letter& letter)> send;
        std::function<net::LinkStatus(net::HostId host)> link;
        std::function<bool()> anything_claimed;  // held, or waited for with a seat
        // Whether that host could take another into any semaphore.
        std::function<bool(net::HostId host)> takes_part;
        // To be kept whatever happens, before anybody hears of it: so many lives of each host are refused, or
        // more if this host has forgotten some. Whether it is kept; if it is not now, it is tried again.
        std::function<bool(const Lives& refused, bool forgetful)> keep;
    };

    Vigil(boost::asio::io_context& loop, const Config& config, Events events);

    struct Start {
        std::uint32_t life = 0;
        bool holders_may_live = false;  // begins when the programs of an earlier life have stopped
        Lives refused;                  // as they were kept
        bool forgetful = false;         // they were not: others are asked first
    };
    void start(const Start& start);
    std::string saved() const;
    bool resume(std::string_view bytes);
    void go_on(bool forgetful);  // once all is resumed
    void stop();                 // nothing happens by itself any more

    void connected(net::HostId host);
    void ended(net::HostId host);
    void silent(net::HostId host);
    void heard(net::HostId host);
    void receive(net::HostId from, const Alive& alive);
    void receive(net::HostId from, const Known& known);
    void receive(net::HostId from, const Buried& buried);
    void receive(net::HostId from, const Refused& refused);

    // To be called before anything that may end in a grant: a process may have been stopped for a long time,
    // and the timers that should have told it run later than what it finds to read.
    void check() {
        if (standing_ && Clock::now() >= standing_until_) judge();
    }

    std::uint32_t life() const { return life_; }
    // Why nobody gets a permit here, if that is so.
    std::string obstacle() const;
    bool is_lost(net::HostId host) const { return peers_[host].ended; }
    bool is_buried(net::HostId host) const { return peers_[host].buried > peers_[host].life; }

private:
    struct Record {
        std::uint32_t life = 0;     // the latest it has spoken of
        std::uint32_t buried = 0;   // so many of its lives are over
        std::uint32_t trusted = 0;  // its latest life that was trusted, plus 1
        std::uint32_t refused = 0;  // so many of its lives this host does not answer any more
        BOOST_DESCRIBE_CLASS(Record, (), (life, buried, trusted, refused), (), ())
    };
    struct Watched : Record {
        bool same_kernel = false;      // both say that they run on this machine, and the kernel may be asked
        bool met = false;              // since the start
        bool reminded = false;         // since the start it has told this host what that had told it
        std::uint32_t refuses_us = 0;  // so many lives of this host
        bool silent = false;
        bool ended = false;
        bool watched = false;  // by the kernel, when last looked
        Clock::time_point unwatched_since{};
        std::optional<Clock::time_point> answered;  // when the newest of our signs was sent that it answered
        std::vector<std::uint32_t> refused_by;      // as `refused`, by other hosts
        std::unique_ptr<net::Timer> death;          // set: a life will be declared over
    };
    struct Saved {
        std::uint32_t life = 0;
        bool living = false;
        std::string boot;  // of the machine, by whose clock it has standing until then
        std::uint64_t standing_until = 0;
        std::vector<Record> records;
        BOOST_DESCRIBE_CLASS(Saved, (), (life, living, boot, standing_until, records), (), ())
    };

    // A tick may come late by a heartbeat.
    std::chrono::milliseconds answer_lasts() const { return config_.dead_after - config_.heartbeat; }
    void tick();
    void say_alive(net::HostId host);
    void judge();
    void look_at_watches();
    bool may_refuse(net::HostId host) const;
    bool may_start_over() const;
    std::size_t members_beside(net::HostId one, bool whom_nobody_refuses = false) const;
    bool is_refused(net::HostId host) const;
    void remember(net::HostId host, std::uint32_t lives);
    bool keep();
    bool remembers();
    bool cannot_refuse(net::HostId host) const;
    Clock::time_point majority_answers_until();
    void stand(bool standing);
    void holders_stopped();
    void refuse(net::HostId host);
    void count_refusals(net::HostId host);
    void bury_later(net::HostId host, std::uint32_t life);
    void bury(net::HostId host, std::uint32_t life);
    void start_over(std::uint32_t life, const std::string& why);
    void begin();

    template <class F>
    void for_each_peer(F f) {
        for (net::HostId host = 0; host < peers_.size(); ++host)
            if (host != self_) f(host, peers_[host]);
    }

    boost::asio::io_context& loop_;
    const Config& config_;
    Events events_;
    const net::HostId self_;
    std::uint32_t life_ = 0;
    bool living_ = false;
    bool disputed_ = false;  // some do not answer this life any more
    bool forgetful_ = false;
    bool standing_ = false;
    Clock::time_point standing_since_;
    Clock::time_point standing_until_;
    Clock::time_point carried_until_;  // standing that was gained before a restart
    net::Timer pause_;                 // until programs of an earlier life have stopped
    net::Timer stopping_;              // until programs have stopped that lost what they held
    net::Timer tick_;
    std::vector<Watched> peers_;
};

}  // namespace allot::daemon
