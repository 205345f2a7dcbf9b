// The register in one file, for daemons under one kernel: all of them open it, and whoever changes it has a
// lock on it meanwhile. One daemon suffices to go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "durable/certificate.hpp"
#include "protocols/agreement/register.hpp"

namespace allot::durable {

class FileRegister {
public:
    explicit FileRegister(std::string path) : path_(std::move(path)) {}

    // Until the lock is closed, no second daemon of that host opens this register. The second one is told
    // `who` has it, in one line.
    Result<Descriptor> occupy(const std::string& host, const std::string& who) const;
    // The certificate of the last daemon of that host that has ended with all its programs. The file is
    // replaced, so it is not the one of the lock.
    std::string certificate_of(const std::string& host) const { return path_ + "-ended." + host; }
    Result<std::optional<Certificate>> ended(const std::string& host) const {
        return read_certificate(certificate_of(host), host);
    }
    // Makes the register. `quiet`: no program runs, so that the first hosts need not wait for earlier ones.
    // Changes nothing if it is there. Views begin after `view`. Without settings the first host brings its
    // own.
    Result<bool> found(std::uint32_t view = 0, bool quiet = true,
                       std::optional<agreement::Settings> settings = std::nullopt) const;
    Result<bool> exists() const;
    // The newest value; the first of all if there is no file yet.
    Result<agreement::Value> read() const;
    // Compare-and-set: changes `expected`, if that is still the newest value and nobody else changes it just
    // now. Returns the newest value afterwards, which is on the disk. Never waits for another
    // process: one that hangs in the middle of a change must not stop the others.
    Result<agreement::Value> exchange(const agreement::Value& expected, const agreement::Change& change,
                                      const agreement::ValueId& id) const;

private:
    std::string path_;
};

}  // namespace allot::durable
