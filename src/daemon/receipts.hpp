// Receipts: the proof that a daemon of this host gave a lease. Leases outlive the daemon in the memory of
// other processes, and the next daemon lets programs go on because of them: it must not believe a lease that
// nobody gave, was changed meanwhile, or belongs to another host.
//
// A receipt is the incarnation of the host under which the lease was written down, and a MAC (SipHash)
// over the lease and that incarnation, under a key in the state folder. It covers all bytes of the record:
// session, demand, fences, which name the view, and also what may change after the grant, such as the process
// that has the session: a record that is written again gets another receipt. Not covered is what changes
// without a record: the deadline of the host, the incarnation that keeps it now, and the guardian's pidfds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "net/openssl.hpp"

namespace allot::daemon {

class Receipts {
public:
    static constexpr std::size_t key_bytes = 16;

    // Reads the key in that state folder, or makes one. The error, if there is one.
    std::optional<std::string> open(const std::string& folder);
    // On the disk when this returns.
    static Result<bool> write_key(const std::string& folder, const std::string& key);

    // Adds the receipt to a record. Every grant does so: a MAC for short texts takes a third of the time of
    // HMAC.
    void seal(std::string& record, std::uint32_t incarnation);
    // The record without its receipt, if that is right and no later than `keeper`, the incarnation that kept
    // the leases of this host last. The error says why the record cannot be believed.
    Result<std::string_view> judge(std::string_view record, std::uint32_t keeper);

private:
    static constexpr std::size_t mac_bytes = 16;
    using Mac = std::array<unsigned char, mac_bytes>;
    using Context = std::unique_ptr<EVP_MAC_CTX, net::openssl::Deleter<EVP_MAC_CTX_free>>;

    bool use(const std::string& key);
    Mac mac_of(std::string_view bytes);

    Context context_;
    std::string key_;  // each MAC begins with it again
};

}  // namespace allot::daemon
