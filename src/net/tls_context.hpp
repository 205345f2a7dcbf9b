// TLS made from files: certificate, key, authority, perhaps a revocation list. Files that were renewed
// replace the earlier ones for new handshakes, as a set: all must fit together. Otherwise the earlier set
// stays in use, and the log says why. Connections keep the set with which they began.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "base/file_stamp.hpp"
#include "net/openssl.hpp"
#include "net/stream.hpp"

namespace allot::net {

class TlsContext {
public:
    static Result<TlsPtr> load(const TlsFiles& files, Counterpart counterpart);
    // The files, read.
    struct Content {
        openssl::ContextPtr context;
        std::vector<openssl::RevocationListPtr> lists;
    };
    TlsContext(TlsFiles files, Counterpart counterpart, Content content);

    Counterpart counterpart() const { return counterpart_; }
    // For a handshake that begins now. Looks at the files at most once a second.
    SSL_CTX* current();
    void look();
    TlsCondition condition() const;
    bool revokes(X509* certificate) const;

private:
    using Stamps = std::array<FileStamp, 4>;
    static Stamps stamps_of(const TlsFiles& files);
    std::string objection_to(SSL_CTX* renewed) const;
    void use(Content renewed, const Stamps& stamps);
    void keep_former(const std::string& why);

    const TlsFiles files_;
    const Counterpart counterpart_;
    Content content_;
    Stamps stamps_;  // of the files in use
    std::chrono::steady_clock::time_point looked_at_;
    std::string unusable_;
    std::uint64_t revision_ = 0;
};

// The hosts and the program that a certificate is for.
Identity roles_of(const X509* certificate);

}  // namespace allot::net
