// Makes certificates for the hosts of one cluster and for programs on other machines, signed by an authority
// of its own: enough for tests and for clusters that have no authority yet.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace allot::net {

struct CertificateOrder {
    std::string folder;                 // created if it does not exist
    std::vector<std::string> hosts;     // each gets NAME.pem and NAME.key
    std::vector<std::string> programs;  // each gets programs/NAME.pem and programs/NAME.key
    int days = 3650;                    // validity
    bool force = false;                 // replace existing certificates; never the authority
};

struct CertificateFile {
    std::string path;
    std::string content;  // authority, certificate (of a host), program certificate, or key
    std::string name;     // of the owner
    std::string until;    // last day of validity; empty for keys
    bool kept = false;    // the file existed before
};

// Makes the authority (ca.pem, ca.key) and one certificate for each name. Writes nothing if it finds an error
// first: a bad name, an existing file, an incomplete authority.
Result<std::vector<CertificateFile>> make_certificates(const CertificateOrder& order);

struct RevocationOrder {
    std::string folder;               // of the authority
    std::vector<std::string> revoke;  // files with certificates of this authority; none: only renew the list
    int days = 3650;                  // validity of the list
};

// Adds certificates to crl.pem, the authority's list of certificates that count no more, and signs it again.
Result<CertificateFile> revoke_certificates(const RevocationOrder& order);

}  // namespace allot::net
