// TLS as a filter: bytes of the network go in and bytes of the session come out, and the other way round. It
// does no input or output itself, so a session over TLS waits, reads and writes like any other.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "allot/client.hpp"
#include "base/result.hpp"

namespace allot::client {

// The certificates of this program. A session shares them among its addresses, and uses them in one thread at
// a time.
class TlsFiles {
public:
    virtual ~TlsFiles() = default;
    static Result<std::shared_ptr<TlsFiles>> load(const Options& options);
};

class Tls {
public:
    virtual ~Tls() = default;

    // The daemon's certificate must bear `name`, a host's name or address. Uses renewed files, if there are
    // any that can be used.
    static std::unique_ptr<Tls> start(const std::shared_ptr<TlsFiles>& files, const std::string& name);

    // Continues the handshake with the bytes that came and adds bytes to send to `out`. established() says
    // when it is complete.
    [[nodiscard]] virtual bool shake(std::string_view came, std::string& out) = 0;
    virtual bool established() const = 0;
    // Why shake() or decrypt() returned false.
    virtual std::string problem() const = 0;

    // False if the other end violated TLS or closed it.
    [[nodiscard]] virtual bool decrypt(std::string_view came, std::string& plain) = 0;
    virtual void encrypt(std::string_view plain, std::string& out) = 0;
};

}  // namespace allot::client
