#include "core/reflect_example.hpp"

namespace allot::reflect_example {

Everything full_example() {
    const Stamp one = Stamp().next();
    const Stamp two = one.next();
    Everything value;
    value.flag = true;
    value.tiny = -5;
    value.clock = 300;
    value.balance = -1'000'000'000'000;
    value.big = ~std::uint64_t{0};
    value.mood = Mood::tired;
    value.level = Level{-7};
    value.stamp = two;
    value.name = "db \"one\"";
    value.asked = Ask{one, 2};
    value.ticket = {two, std::uint8_t{9}};
    value.triple = {1, 2, 65535};
    value.queue = {{two, 1}, {one, 4}};
    value.bits = {true, false, true};
    value.words = {"a", ""};
    value.asks = {{one, 1}, {two, 0}};
    value.named = {{"gpu0", -1}, {"gpu1", 1}};
    value.moods = {{one, Mood::eager}, {two, Mood::calm}};
    value.peers = {1, 5};
    value.seen = {{0, two}, {7, one}};
    value.last = Ask{two, 3};
    value.inbox = {Ping{}, Server::Reply{{one, two}}, Ask{}};
    return value;
}

}  // namespace allot::reflect_example
