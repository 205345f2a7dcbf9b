// Bytes of the fuzzer as a source of decisions and values. A value of any described type is drawn along its
// table: numbers are mostly small, as ids and counts of a small instance are, and sometimes extreme; names
// are few, so that messages meet. So most values look valid, and the fuzzer finds out which bytes lead where.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/type_of.hpp"

namespace allot::fuzz {

class Source {
public:
    Source(const std::uint8_t* data, std::size_t size) : left_(reinterpret_cast<const char*>(data), size) {}

    bool is_empty() const { return left_.empty(); }
    std::uint8_t byte() {
        if (left_.empty()) return 0;
        const auto first = static_cast<std::uint8_t>(left_.front());
        left_.remove_prefix(1);
        return first;
    }
    // From 0 to below `count`.
    std::uint32_t choice(std::uint32_t count) { return byte() % count; }
    bool coin() { return (byte() & 1) != 0; }
    bool seldom() { return byte() >= 0xF0; }

    template <Reflectable T>
    T value() {
        T one{};
        fill(type_of<T>, &one, 0);
        return one;
    }

    void fill(const Type& type, void* value, int depth) {
        switch (type.form) {
            case Form::string:
                return type.set_string(value, name());
            case Form::optional:
                if (coin())
                    type.elements->add(value, [&](void* one, void*) { fill(*type.element, one, depth + 1); });
                return;
            case Form::array:
                return type.elements->change(value, true,
                                             [&](void* one, void*) { fill(*type.element, one, depth + 1); });
            case Form::sequence:
            case Form::set:
            case Form::map:
                return fill_elements(type, value, depth);
            case Form::variant: {
                const std::size_t drawn = choice(static_cast<std::uint32_t>(type.parts.size()));
                type.become(value, drawn);
                return fill(*type.parts[drawn].type, type.content(value), depth + 1);
            }
            case Form::pair:
            case Form::structure:
                for (const Part& part : type.parts) fill(*part.type, type.part_of(value, part), depth + 1);
                return;
            default:
                return fill_number(type, value);
        }
    }

private:
    static constexpr int deepest = 12;

    // A few, or seldom as many as the bytes last for.
    std::uint32_t count(int depth) {
        if (depth > deepest || is_empty()) return 0;
        const std::uint8_t drawn = byte();
        return drawn >= 0xFC ? 40 : drawn % 4;
    }

    void fill_elements(const Type& type, void* value, int depth) {
        for (std::uint32_t left = count(depth); left > 0; --left)
            type.elements->add(value, [&](void* one, void* mapped) {
                fill(*type.element, one, depth + 1);
                if (mapped != nullptr) fill(*type.mapped, mapped, depth + 1);
            });
    }

    void fill_number(const Type& type, void* value) {
        if (!type.enumerators.empty())
            return type.set_number(
                value, type.enumerators[choice(static_cast<std::uint32_t>(type.enumerators.size()))].number);
        if (type.form == Form::boolean) return type.set_number(value, coin() ? 1 : 0);
        // Instances have few sites.
        type.set_number(value, number(type.is_site ? 4 : 16, type.greatest));
    }

    std::uint64_t number(unsigned mostly_below, std::uint64_t greatest) {
        const std::uint8_t drawn = byte();
        if (drawn < 0xC0) return std::min<std::uint64_t>(drawn % mostly_below, greatest);
        if (drawn < 0xE0) return std::min<std::uint64_t>(byte(), greatest);
        constexpr std::array<unsigned, 8> bits{8, 12, 16, 24, 31, 40, 62, 63};
        if (drawn < 0xF8)
            return std::min((std::uint64_t{1} << bits[drawn % bits.size()]) - 1 + byte(), greatest);
        return greatest - drawn % 2;
    }

    std::string_view name() {
        static const std::string long_one(5000, 'n');
        constexpr std::array<std::string_view, 6> names{"a", "b", "c", "d", "s0", "s1"};
        const std::uint8_t drawn = byte();
        if (drawn == 0xFF) return long_one;
        if (drawn == 0xFE) return "";
        return names[drawn % names.size()];
    }

    std::string_view left_;
};

// Each input is one run: it says how a world begins, and its steps until it ends.
template <class World>
void take_steps(Source& source, World& world) {
    while (!source.is_empty()) world.step();
}
template <class World>
int run(const std::uint8_t* data, std::size_t size) {
    Source source(data, size);
    World world(source);
    take_steps(source, world);
    return 0;
}

}  // namespace allot::fuzz
