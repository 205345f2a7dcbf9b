// Orders of operators: changes that no program may make, because they take something away from another one,
// or concern the whole cluster; and of owners, who may give back what their programs left behind.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/desk.hpp"
#include "daemon/letters.hpp"
#include "daemon/mail.hpp"
#include "host/sessions.hpp"
#include "net/timer.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

class Orders {
public:
    using Done = std::function<void(const session::OrderAnswer&)>;
    struct Ways {
        // Lets the host propose these settings to the register.
        std::function<void(const agreement::Settings&)> propose;
        // Gives a proposal up that the register has not agreed to.
        std::function<void()> withdraw;
        // Why this host does not serve as it should; empty if it does.
        std::function<std::string()> trouble;
    };

    Orders(boost::asio::io_context& loop, const host::Member& member, Desk& desk, Mail& mail, Ways ways)
        : member_(member), desk_(desk), mail_(mail), ways_(std::move(ways)), patience_(loop) {}

    // Answers at once, or when the register has agreed.
    void obey(const session::Order& order, const host::Caller& by, const Done& done);
    // An order that was given on another host.
    void hear(const Evict& evict);
    // To be called after each step: the register may have agreed to what was proposed.
    void look();

private:
    session::OrderAnswer give_back(const std::string& resource, const host::Caller& by);
    session::OrderAnswer release(const session::Order& order, const host::Caller& by);
    std::string shown() const;
    void set(const session::Order& order, const host::Caller& by, const Done& done);
    std::optional<std::string> forbidden(const host::Caller& by) const;
    std::string unreached() const;

    // A change of the settings that is under way.
    struct Pending {
        agreement::Settings settings;
        std::vector<std::string> changes;  // for people
        std::string user;
        Done done;
    };
    void end(bool done, const std::string& text);

    const host::Member& member_;
    Desk& desk_;
    Mail& mail_;
    Ways ways_;
    std::optional<Pending> pending_;
    net::Timer patience_;
};

}  // namespace allot::daemon
