// Editions of the bytes that hosts, programs and guardians send each other and keep (core/bytes.hpp).
//
// A program reads and writes every edition up to its newest one. Hosts write the edition on which the cluster
// has agreed, and agree on the next one when all of them know it. So the hosts of a cluster can be upgraded
// one after another; docs/operations.md says what an operator sees of it.
//
// To change a format, raise `newest_edition` and add members at any place of a struct, each with the edition
// that brought it:
//
//     template <>
//     inline constexpr Edition allot::since<&Settings::colour> = 11;
//
// A member keeps its default value until the agreed edition has it, and a new kind of message is not sent
// before. Marks stay: a value may have been agreed on long ago. Enumerators have no marks: keep what needs a
// new one out of what is sent until the agreed edition is there. A greeting never grows, as it is always
// written in the first edition.
#pragma once

#include <concepts>
#include <cstdint>

namespace allot {

using Edition = std::uint32_t;

inline constexpr Edition first_edition = 9;
inline constexpr Edition newest_edition = 10;
inline constexpr Edition former_edition = newest_edition - 1;  // of the version before
// Of bytes that stay in one process: every member of every struct.
inline constexpr Edition every_member = ~Edition{0};

constexpr bool is_known(Edition edition) {
    return edition >= first_edition && edition <= newest_edition;
}

// Two ends greet each other in the first edition, before they know each other's newest one.
inline constexpr Edition greeting_edition = first_edition;
constexpr bool can_greet(Edition newest_of_other) {
    return newest_of_other >= first_edition;
}
constexpr Edition spoken_by_both(Edition newest_of_other) {
    return newest_of_other < newest_edition ? newest_of_other : newest_edition;
}

// The edition that brought a member of a struct; 0: it was always there.
template <auto member>
inline constexpr Edition since = 0;

// A struct that is written in an edition of its own, wherever it is: what the cluster has agreed on must not
// lose a member on its way through a host that has not heard of the agreement yet. 0: nothing was agreed on,
// and it has the edition of what surrounds it.
template <class T>
concept HasEdition = requires(const T& value) {
    { value.edition() } -> std::same_as<Edition>;
};

}  // namespace allot
