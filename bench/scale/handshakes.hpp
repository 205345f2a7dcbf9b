// The delay of programs of a host while strangers begin many TLS handshakes with its daemon.
#pragma once

#include <string>

#include "process.hpp"
#include "targets.hpp"

namespace allot::bench {

// At the port for other hosts, and at the one for programs on other machines.
void judge_handshakes(Targets& targets, const std::string& program, const Folder& folder);

}  // namespace allot::bench
