// The register as this daemon reaches it: the place where the hosts agree who takes part. A file under one
// kernel, a council of the hosts and a key of etcd differ in what they keep on the disk and in what they know
// about daemons that have ended; the shell need not know which one there is.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/config.hpp"
#include "daemon/host_folder.hpp"
#include "daemon/letters.hpp"
#include "guardian/frames.hpp"
#include "host/member.hpp"
#include "net/mesh.hpp"

namespace allot::daemon {

class Engine {
public:
    struct Events {
        // The answer to a call, at once or later.
        std::function<void(const agreement::Value&)> returned;
        // A value of the register that answers no call. It shows a view and renews no lease.
        std::function<void(const agreement::Value&)> learned;
        // Everything that was to be persisted is on the disk.
        std::function<void()> synced;
        // The host has learnt something: it may have to act earlier.
        std::function<void()> changed;
        // This daemon cannot take part. The log says why.
        std::function<void()> failed;
    };
    // The member and its configuration, which `open` completes.
    struct Subject {
        host::Member& member;
        host::Member::Config& config;
        // Whether this host hears that one.
        std::function<bool(net::HostId)> hears = [](net::HostId) { return true; };
        std::function<void(net::HostId, const Letter&)> send = [](net::HostId, const Letter&) {};
    };

    static std::unique_ptr<Engine> make(boost::asio::io_context& loop, const Config& config,
                                        const HostFolder& folder, const Subject& subject, Events events);
    virtual ~Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // To be called before the member starts. The error, if there is one.
    virtual std::optional<std::string> open(const HostFolder::Memory& before) = 0;
    // Why the register cannot be used; empty if it can.
    virtual std::string trouble(const host::Member::Self& self) const = 0;

    // Nothing has run before the first view.
    virtual bool is_first() const { return false; }
    // The last incarnation of this host whose end is certified: no other one may have its number.
    virtual std::uint32_t certified() const { return 0; }
    // Where the guardian certifies the end of this incarnation, if it may.
    virtual std::optional<guardian::Testament> testament(std::uint32_t) const { return std::nullopt; }

    virtual void call(const host::Member::Self&, const host::Call&) {}
    virtual void persist() {}
    // Another host says which voters it knows.
    virtual void compare(net::HostId, const agreement::Hello&) {}
    // Another host asks for the value of the register, or answers.
    virtual void receive(net::HostId, const RegisterQuery&) {}
    virtual void receive(net::HostId, const RegisterAnswer&) {}
    // The daemon of that host has ended, or is back.
    virtual void ended(net::HostId, bool /*has_ended*/) {}

protected:
    Engine(const Config& config, const Subject& subject, Events events)
        : config_(config),
          member_(subject.member),
          member_config_(subject.config),
          events_(std::move(events)) {}

    const Config& config_;
    host::Member& member_;
    host::Member::Config& member_config_;
    const Events events_;
};

}  // namespace allot::daemon
