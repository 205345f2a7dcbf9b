// Letters that are longer than a payload.
#include "daemon/parcels.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace allot::daemon {
namespace {

std::vector<std::string> payloads_of(const std::string& letter) {
    std::vector<std::string> all;
    Parcels::split(letter, newest_edition, [&](std::string_view payload) { all.emplace_back(payload); });
    return all;
}

Piece piece_in(const std::string& payload) {
    return std::get<Piece>(from_dated_bytes<Letter>(payload).value());
}

std::string long_letter(std::size_t bytes) {
    std::string letter;
    while (letter.size() < bytes) letter += static_cast<char>(letter.size() % 251);
    return letter;
}

TEST(Parcels, A_short_letter_is_one_payload) {
    const std::string letter = long_letter(Parcels::piece_bytes);
    EXPECT_EQ(payloads_of(letter), std::vector{letter});
}

TEST(Parcels, A_long_letter_arrives_whole_with_its_last_piece) {
    const std::string letter = long_letter(2 * Parcels::piece_bytes + 1);
    Parcels parcels(letter.size());
    const auto payloads = payloads_of(letter);
    ASSERT_EQ(payloads.size(), 3u);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(*parcels.add(0, piece_in(payloads[i])), std::nullopt);
    EXPECT_EQ(*parcels.add(0, piece_in(payloads[2])), letter);
}

TEST(Parcels, Letters_of_two_hosts_do_not_mix) {
    Parcels parcels(100);
    EXPECT_EQ(*parcels.add(0, {false, "a"}), std::nullopt);
    EXPECT_EQ(*parcels.add(1, {false, "b"}), std::nullopt);
    EXPECT_EQ(*parcels.add(0, {true, "a"}), "aa");
    EXPECT_EQ(*parcels.add(1, {true, "b"}), "bb");
}

TEST(Parcels, A_new_incarnation_does_not_go_on_with_the_letter_of_the_last) {
    Parcels parcels(100);
    EXPECT_EQ(*parcels.add(0, {false, "old"}), std::nullopt);
    parcels.forget(0);
    EXPECT_EQ(*parcels.add(0, {true, "new"}), "new");
}

TEST(Parcels, What_exceeds_the_limits_is_dropped) {
    Parcels parcels(3);
    EXPECT_EQ(*parcels.add(0, {false, "abc"}), std::nullopt);
    EXPECT_FALSE(parcels.add(0, {true, "d"}));
    EXPECT_EQ(*parcels.add(0, {true, "abc"}), "abc");
}

TEST(Parcels, The_limits_leave_room_for_a_report_of_all_seats) {
    Config config;
    config.hosts.resize(3);
    host::HostReport report;
    agreement::Holdings& seats = report.part.kinds[ResourceId()];
    seats.resize(config.lock_seats);
    for (agreement::Holding& seat : seats)
        for (std::uint32_t lock = 0; lock < config.limits.locks_per_request; ++lock)
            seat.demand.resources.emplace_back(std::string(config.limits.name_length - 4, 'n') +
                                               std::to_string(1000 + lock));
    EXPECT_LE(to_bytes<Letter>(report).size(), Parcels::longest_letter(config));
}

}  // namespace
}  // namespace allot::daemon
