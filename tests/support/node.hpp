// A real daemon, `allot node`, alone in its cluster, for tests of those who talk to one.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>

#include "allot/client.hpp"

namespace allot::test {

// Looks again and again, for as long as a busy machine may take; false if it never comes true.
bool eventually(const std::function<bool()>& condition);

// A port of this machine that nobody uses.
int free_port();

class Node {
public:
    // There are two permits of `builds`, and programs stop within a second unless `tables` has a [bootstrap].
    // `settings` and `tables` are added to the configuration.
    explicit Node(const std::string& settings = "", const std::string& tables = "");
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    ~Node();

    client::Options options() const;
    client::Session session() const { return client::Session::connect(options()); }

    // Asks for this in a session of its own, and looks until the daemon has granted it or lists it as
    // waiting: true if it has to wait. What was asked for is then given back.
    bool must_wait(const client::Demand& demand) const;

    std::string log() const;          // all that it said
    std::size_t descriptors() const;  // how many it has open
    void start();                     // returns when it answers
    void end(int signal);             // returns when it is gone
    void send(int signal) const;

private:
    std::filesystem::path folder_;
    pid_t pid_ = 0;
};

}  // namespace allot::test
