// A certificate: the record that a daemon has ended with all its programs. The guardian of its host writes
// it, and the other daemons under the same kernel give out at once what these programs held. They believe
// nothing that is damaged or belongs to another host.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace allot::durable {

struct Certificate {
    std::string host;
    std::uint32_t incarnation = 0;  // it has ended, and so have all before it
    bool operator==(const Certificate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Certificate, (), (host, incarnation))

// On the disk when this returns, in place of an earlier one.
Result<bool> write_certificate(const std::string& path, const Certificate& certificate);
// Nothing if there is no such file. The error says in one line why it is no certificate of that host.
Result<std::optional<Certificate>> read_certificate(const std::string& path, const std::string& host);

}  // namespace allot::durable
