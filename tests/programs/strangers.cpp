// Strangers who begin TLS handshakes at an address of IPv4: strangers ADDRESS PORT PER_SECOND. Goes on until
// its input ends, and prints how many connections and handshakes there were.
#include <cstdio>
#include <cstdlib>

#include "support/handshake_flood.hpp"

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("usage: strangers ADDRESS PORT PER_SECOND\n", stderr);
        return 2;
    }
    const auto port = static_cast<std::uint16_t>(std::atoi(argv[2]));
    const allot::test::HandshakeFlood flood(argv[1], port, static_cast<unsigned>(std::atoi(argv[3])));
    while (std::getchar() != EOF) {
    }
    const auto count = flood.count();
    std::printf("%llu connections, %llu handshakes\n", static_cast<unsigned long long>(count.connections),
                static_cast<unsigned long long>(count.handshakes));
    return 0;
}
