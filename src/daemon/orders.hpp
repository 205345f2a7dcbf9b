// Orders of operators: changes that no program may make, because they take something away from another one;
// and of owners, who may give back what their programs left behind.
#pragma once

#include "daemon/desk.hpp"
#include "daemon/letters.hpp"
#include "daemon/mail.hpp"
#include "host/sessions.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

class Orders {
public:
    Orders(Desk& desk, Mail& mail) : desk_(desk), mail_(mail) {}

    session::OrderAnswer obey(const session::Order& order, const host::Caller& by);
    // An order that was given on another host.
    void hear(const Evict& evict);

private:
    session::OrderAnswer give_back(const std::string& resource, const host::Caller& by);
    session::OrderAnswer release(const session::Order& order, const host::Caller& by);
    std::string unreached() const;

    Desk& desk_;
    Mail& mail_;
};

}  // namespace allot::daemon
