// Who of the other hosts lives: the failure detector, for the protocols that listen to one (semaphores).
//
// The seats of a host that listen are in a *life*, which all hosts know by its number. A life is declared
// over
// - when the kernel says that the process of the daemon is gone: exact, where both run under one kernel;
// - when the host has been silent for `dead_after`, where they do not. That is no proof. It is relied on
// because
//   of an assumption: a host that hears from no majority of the hosts for so long ends its own life, too.
// In either case programs on that host may still use what they held, so it counts only `stop_within` later:
// by then they have noticed that their daemon is gone, or have been told, and have stopped
// (docs/lock-manager.md).
//
// A host whose life was declared over while it lives is told so as soon as it can be. It ends that life,
// waits until its programs have stopped, and begins a new one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/letters.hpp"
#include "net/mesh.hpp"
#include "net/timer.hpp"

namespace allot::daemon {

class Vigil {
public:
    struct Events {
        std::function<void(net::HostId host, std::uint32_t life)> trusted;
        std::function<void(net::HostId host, std::uint32_t life)> dead;
        std::function<void(std::uint32_t life)> begin_life;
        std::function<void(const std::string& why)> end_life;
        std::function<void(net::HostId to, const Letter& letter)> send;
        std::function<net::LinkStatus(net::HostId host)> link;
        std::function<void(bool)> hold_back;     // lets nobody in, or does again
        std::function<bool()> anything_claimed;  // held, or waited for with a seat
    };

    Vigil(boost::asio::io_context& loop, const Config& config, Events events);

    // In this life; at once, or after the programs of an earlier one have stopped.
    void start(std::uint32_t life, bool after_a_crash);
    // As it was when it was saved, and living.
    std::string saved() const;
    bool resume(std::string_view bytes);

    void connected(net::HostId host);
    void ended(net::HostId host);
    void silent(net::HostId host);
    void heard(net::HostId host);
    void receive(net::HostId from, const Alive& alive);
    void receive(net::HostId from, const Buried& buried);

    std::uint32_t life() const { return life_; }
    bool is_lost(net::HostId host) const { return peers_[host].ended; }

private:
    struct Record {
        std::uint32_t life = 0;     // the latest it has spoken of
        std::uint32_t buried = 0;   // so many of its lives are over
        std::uint32_t trusted = 0;  // its latest life that was trusted, plus 1
        BOOST_DESCRIBE_CLASS(Record, (), (life, buried, trusted), (), ())
    };
    struct Saved {
        std::uint32_t life = 0;
        bool living = false;
        std::vector<Record> peers;
        BOOST_DESCRIBE_CLASS(Saved, (), (life, living, peers), (), ())
    };
    struct Watched : Record {
        bool silent = false;
        bool ended = false;
        std::unique_ptr<net::Timer> death;  // set: its life will be declared over
    };

    void bury(net::HostId host);
    void bury_later(net::HostId host);
    void judge();
    void withdraw();
    bool seems_over(net::HostId host) const;
    void pause();
    bool with_majority() const;
    bool is_missing(net::HostId host) const;
    void start_over(std::uint32_t life, const std::string& why);
    void begin();

    boost::asio::io_context& loop_;
    const Config& config_;
    Events events_;
    const net::HostId self_;
    std::uint32_t life_ = 0;
    bool living_ = false;
    bool pausing_ = false;
    net::Timer pause_;  // until programs of an earlier life have stopped
    std::vector<Watched> peers_;
};

}  // namespace allot::daemon
