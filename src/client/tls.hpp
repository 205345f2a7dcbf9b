// TLS as a filter: bytes of the network go in and bytes of the session come out, and the other way round. It
// does no input or output of its own, so a session over TLS waits, reads and writes like any other.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "allot/client.hpp"
#include "base/result.hpp"

namespace allot::client {

// The certificates of this program, read once.
class TlsFiles {
public:
    virtual ~TlsFiles() = default;
    static Result<std::shared_ptr<TlsFiles>> load(const Options& options);
};

class Tls {
public:
    virtual ~Tls() = default;

    // The daemon's certificate must bear `name`, a host's name or address.
    static std::unique_ptr<Tls> start(const std::shared_ptr<TlsFiles>& files, const std::string& name);

    // Goes on with the handshake; what must be sent is added to `out`. Done when established() says so.
    [[nodiscard]] virtual bool shake(std::string_view came, std::string& out) = 0;
    virtual bool established() const = 0;
    // Why shake() or decrypt() said false.
    virtual std::string problem() const = 0;

    // False if the other end broke the rules of TLS, or ended it.
    [[nodiscard]] virtual bool decrypt(std::string_view came, std::string& plain) = 0;
    virtual void encrypt(std::string_view plain, std::string& out) = 0;
};

}  // namespace allot::client
