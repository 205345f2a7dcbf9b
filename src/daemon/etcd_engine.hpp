// The register in one key of etcd. Each call begins with a linearisable read; a change is a compare-and-set
// on what that read has found. After a change that was not answered, another read tells what became of it.
//
// A watch tells of new views sooner than the next read would. It renews no lease. It begins at the revision
// of an answer, with the endpoint that gave it, so whatever ends it, the next answer makes a new one.
//
// A host that does not reach etcd asks up to two others to read for it; they begin to read when they are
// asked.
//
// etcd's own leases are not used: an etcd leader that is cut off still confirms them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "daemon/engine.hpp"
#include "daemon/etcd_relay.hpp"
#include "daemon/restraint.hpp"
#include "etcd/client.hpp"
#include "etcd/watch.hpp"

namespace allot::daemon {

class EtcdEngine : public Engine {
public:
    EtcdEngine(boost::asio::io_context& loop, const Config& config, const Subject& subject, Events events);

    // etcd may be away: the first call finds out, and judges what the key holds.
    std::optional<std::string> open(const HostFolder::Memory& before) override;
    std::string trouble(const host::Member::Self& self) const override;
    void call(const host::Member::Self& self, const host::Call& call) override;
    void receive(net::HostId from, const RegisterQuery& query) override { relay_->ask(from, query); }
    void receive(net::HostId from, const RegisterAnswer& answer) override;

private:
    // relayed: etcd does not answer, and another host reads for this one.
    enum class Trouble : std::uint8_t { none, silent, relayed, content };
    // The call under way.
    struct Asked {
        std::optional<agreement::Change> change;  // until it is tried: then a read tells
        agreement::ValueId id;                    // of the value that it makes
        Stamp known;  // the newest version that this host knew: the register has that one, or a later one
        net::Timer::Clock::time_point until;
        bool is_open = false;    // nobody has answered
        bool is_served = false;  // etcd has answered, so nobody else need
        bool others_are_asked = false;
    };

    void ask();
    void heard(const etcd::Found& found);
    void rest();
    bool may_change(const agreement::Value& newest);
    Restraint::Here here() const;
    void exchange(const etcd::Found& found, const agreement::Value& newest);
    void answer(const agreement::Value& value);
    std::uint64_t question() const;
    void ask_others();
    void fail(Trouble kind, const std::string& why);
    void note(Trouble kind, const std::string& problem);
    std::chrono::milliseconds time_left() const;

    void follow(const etcd::Found& found);
    void learn(const etcd::Entry& entry);
    void lose_watch(const std::string& why);

    std::string began_again_advice() const;
    std::string went_back(const agreement::Value& found) const;

    boost::asio::io_context& loop_;
    const std::function<bool(net::HostId)> hears_;
    const std::function<void(net::HostId, const Letter&)> send_;
    Restraint restraint_;
    std::unique_ptr<etcd::Client> client_;
    std::unique_ptr<etcd::Watch> watch_;
    std::unique_ptr<EtcdRelay> relay_;
    net::HostId helper_ = 0;  // the first that is asked to read
    net::Timer::Clock::time_point may_ask_others_;
    net::Timer::Clock::time_point rests_until_;  // after an answer that gave the host nothing it wanted
    net::Timer rest_;
    Asked asked_;
    std::uint32_t calls_ = 0;  // of this daemon
    bool has_answered_ = false;
    Trouble trouble_ = Trouble::none;
    std::string problem_;
    std::string watch_problem_;  // as the log says it
    std::int64_t seen_ = 0;      // revision of the key in the last answer
};

}  // namespace allot::daemon
