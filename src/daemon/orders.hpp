// Orders of operators: changes that no program may make, because they take something away from another one,
// or concern the whole cluster; and of owners, who may give back what their programs left behind.
#pragma once

#include <boost/json/array.hpp>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/desk.hpp"
#include "daemon/letters.hpp"
#include "daemon/mail.hpp"
#include "daemon/roster.hpp"
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
        // That incarnation and all its programs have ended, as an operator says; or that is not said any
        // more.
        std::function<void(Peer, bool has_ended)> certify;
        // The hosts that answer and say that their votes are void.
        std::function<void(std::function<void(const std::set<std::string>&)>)> find_voteless;
        // Why this host does not serve as it should; empty if it does.
        std::function<std::string()> trouble;
    };

    Orders(boost::asio::io_context& loop, const host::Member& member, Desk& desk, Mail& mail, Ways ways)
        : member_(member), desk_(desk), mail_(mail), ways_(std::move(ways)), patience_(loop) {}

    // Answers at once, or when the register has agreed.
    void obey(const session::Order& order, const host::Caller& by, const Done& done);
    // An order that was given on another host.
    void hear(const Evict& evict);
    // A host that proved its name wants to join.
    using Welcome = std::function<void(const net::PetitionAnswer&)>;
    void hear(const net::Petition& petition, const Welcome& answer);
    // This host has another address than the others believe.
    void tell_address(const net::Petition& own);
    // All hosts know that edition.
    void raise(std::function<Edition()> known_by_all);
    // To be called after each step: the register may have agreed to what was proposed.
    void look();

private:
    session::OrderAnswer give_back(const std::string& resource, const host::Caller& by);
    session::OrderAnswer release(const session::Order& order, const host::Caller& by);
    std::string shown(const host::Caller& by) const;
    boost::json::array shown_hosts() const;
    std::optional<std::string> forbidden(const host::Caller& by) const;
    std::string unreached() const;

    // A change of the settings. It is made again if somebody else changes them at the same time.
    using Edit = std::function<Result<agreement::Settings>(agreement::Settings)>;
    struct Pending {
        Edit edit;
        std::string user;
        Done done;
        std::string certified{};             // a host that has ended with its programs, as the operator says
        agreement::Settings settings{};      // as proposed
        std::vector<std::string> changes{};  // for people
    };
    void give(const session::Order& order, const std::string& user, const std::set<std::string>& voteless,
              const Done& done);
    Result<Edit> edit_of(const session::Order& order, const std::set<std::string>& voteless) const;
    std::string breaks_majority(const agreement::Settings& settings, const std::string& host) const;
    void certify(const std::string& host, bool has_ended);
    std::string unable() const;
    static std::vector<std::string> changes_of(const Pending& order, const agreement::Settings& before,
                                               const agreement::Settings& after);
    void change(Pending order, bool dry_run);
    void begin();
    void end(bool done, const std::string& text);

    const host::Member& member_;
    Desk& desk_;
    Mail& mail_;
    Ways ways_;
    std::deque<Pending> pending_;  // the first one is proposed
    net::Timer patience_;
};

}  // namespace allot::daemon
