// What the tests of links share: a loop that runs until something is so, and folders that vanish.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <string>

#include "net/stream.hpp"
#include "support/folder.hpp"

namespace allot::net {

// Runs the loop until the condition holds. The deadline is generous: only a test that fails reaches it.
inline bool run_until(boost::asio::io_context& loop, const std::function<bool()>& condition,
                      std::chrono::seconds deadline = std::chrono::seconds(60)) {
    const auto end = std::chrono::steady_clock::now() + deadline;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        loop.restart();
        loop.run_one_for(std::chrono::milliseconds(20));
    }
    return true;
}

using test::TemporaryFolder;

}  // namespace allot::net
