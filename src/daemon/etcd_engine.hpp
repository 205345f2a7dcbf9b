// The register in one key of etcd. Each call begins with a linearisable read; a change is a compare-and-set
// on what that read has found. After a change that was not answered, another read tells what became of it.
//
// A watch tells of new views sooner than the next read would. It renews no lease. It begins at the revision
// of an answer, with the endpoint that gave it, so whatever ends it, the next answer makes a new one.
//
// etcd's own leases are not used: an etcd leader that is cut off still confirms them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "daemon/engine.hpp"
#include "daemon/restraint.hpp"
#include "etcd/client.hpp"
#include "etcd/watch.hpp"

namespace allot::daemon {

class EtcdEngine : public Engine {
public:
    EtcdEngine(boost::asio::io_context& loop, const Config& config, Subject subject, Events events);

    // etcd may be away: the first call finds out, and judges what the key holds.
    std::optional<std::string> open(const HostFolder::Memory& before) override;
    std::string trouble(const host::Member::Self& self) const override;
    void call(const host::Member::Self& self, const host::Call& call) override;

private:
    // The call under way.
    struct Asked {
        std::optional<agreement::Change> change;  // until it is tried: then a read tells
        agreement::ValueId id;                    // of the value that it makes
        Stamp known;  // the newest version that this host knew: the register has that one, or a later one
        net::Timer::Clock::time_point until;
    };

    void ask();
    void heard(const etcd::Found& found);
    bool may_change(const agreement::Value& newest);
    Restraint::Here here() const;
    void exchange(const etcd::Found& found, const agreement::Value& newest);
    void answer(const agreement::Value& value);
    void fail(bool is_silent, const std::string& why);
    std::chrono::milliseconds time_left() const;

    void follow(const etcd::Found& found);
    void learn(const etcd::Entry& entry);
    void lose_watch(const std::string& why);

    std::string began_again_advice() const;
    std::string went_back(const agreement::Value& found) const;

    boost::asio::io_context& loop_;
    const std::function<bool(net::HostId)> hears_;
    Restraint restraint_;
    std::unique_ptr<etcd::Client> client_;
    std::unique_ptr<etcd::Watch> watch_;
    Asked asked_;
    std::uint32_t calls_ = 0;  // of this daemon
    bool has_answered_ = false;
    std::string problem_;
    bool is_silent_ = false;     // the problem: etcd does not answer
    std::string watch_problem_;  // as the log says it
    std::int64_t seen_ = 0;      // revision of the key in the last answer
};

}  // namespace allot::daemon
