// The register in a file that all daemons of one kernel open. The kernel tells when a daemon has ended, and
// the guardian of that daemon writes when its last program is gone, too: then nobody has to wait for them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/descriptor.hpp"
#include "daemon/engine.hpp"
#include "durable/file_register.hpp"
#include "net/timer.hpp"

namespace allot::daemon {

class FileEngine : public Engine {
public:
    FileEngine(boost::asio::io_context& loop, const Config& config, const Subject& subject, Events events);

    std::optional<std::string> open(const HostFolder::Memory& before) override;
    std::string trouble(const host::Member::Self& self) const override;
    bool is_first() const override { return is_first_; }
    std::uint32_t certified() const override { return certified_; }
    std::optional<guardian::Testament> testament(std::uint32_t incarnation) const override;
    void call(const host::Member::Self& self, const host::Call& call) override;
    void ended(net::HostId peer, bool has_ended) override;

private:
    std::optional<std::string> read_own_certificate(std::uint32_t known);
    Result<std::uint32_t> certified(const std::string& host, std::uint32_t known) const;
    void look_for_certificates();
    std::string went_back(const agreement::Value& found, const agreement::Value& known) const;
    void look_for_certificate(const Peer& member);

    durable::FileRegister register_;
    Descriptor occupied_;
    bool is_first_ = false;
    std::uint32_t certified_ = 0;
    std::uint32_t calls_ = 0;  // changes that this daemon has proposed
    std::string problem_;
    std::set<net::HostId> gone_;                     // whose daemons have ended, and may be certified
    std::map<net::HostId, std::string> unbelieved_;  // why their certificates are not believed
    net::Timer certificates_;
};

}  // namespace allot::daemon
