// Random: the one source of chance, from one seed, with the same numbers on every host.
//
// xoshiro256** by Blackman and Vigna, its state filled by SplitMix64 as its authors advise. The standard
// library's engines would do, but its distributions give different numbers on different platforms.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace allot {

class Random {
public:
    explicit constexpr Random(std::uint64_t seed) {
        for (auto& word : state_) word = split_mix(seed);
    }

    // A number from 0 to bound - 1, each equally likely; any 64 bits for bound 0 (that is, 2^64).
    constexpr std::uint64_t operator()(std::uint64_t bound) {
        if (bound == 0) return bits();
        Wide product = static_cast<Wide>(bits()) * bound;
        // Lemire's method: the low half tells the few draws that would favour small results.
        if (static_cast<std::uint64_t>(product) < bound) {
            const std::uint64_t unfair = (0 - bound) % bound;
            while (static_cast<std::uint64_t>(product) < unfair) product = static_cast<Wide>(bits()) * bound;
        }
        return static_cast<std::uint64_t>(product >> 64);
    }

    constexpr bool coin() { return bits() >> 63 != 0; }

    friend constexpr bool operator==(const Random&, const Random&) = default;

private:
    __extension__ using Wide = unsigned __int128;

    static constexpr std::uint64_t split_mix(std::uint64_t& seed) {
        seed += 0x9e3779b97f4a7c15;
        std::uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    constexpr std::uint64_t bits() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    std::array<std::uint64_t, 4> state_{};
};

}  // namespace allot
