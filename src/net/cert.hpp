// Certificates for the hosts of one cluster and for programs that ask them from elsewhere, signed by an
// authority of its own: enough for tests and for clusters that have no authority yet.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace allot::net {

struct CertificateOrder {
    std::string folder;                 // made if it is not there
    std::vector<std::string> hosts;     // for each NAME.pem and NAME.key
    std::vector<std::string> programs;  // for each programs/NAME.pem and programs/NAME.key
    int days = 3650;                    // from now on they are valid so long
    bool force = false;                 // replace certificates that are there; the authority never is
};

struct CertificateFile {
    std::string path;
    std::string content;  // authority, certificate (of a host), program certificate, or key
    std::string name;     // whose
    std::string until;    // valid to the end of that day; empty for keys
    bool kept = false;    // it was there before
};

// The authority (ca.pem, ca.key) and one certificate for each name. Nothing is written if an error is found
// beforehand: a bad name, a file that is there, an authority that is not whole.
Result<std::vector<CertificateFile>> make_certificates(const CertificateOrder& order);

}  // namespace allot::net
