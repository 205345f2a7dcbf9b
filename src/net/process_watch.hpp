// Asks the kernel about the process of another host under the same kernel: the kernel reports the end of the
// process with certainty and at once.
#pragma once

#include <functional>
#include <memory>

#include "base/descriptor.hpp"
#include "net/link_frames.hpp"
#include "net/loop.hpp"

namespace allot::net {

// The mark of this process; nothing if /proc does not show it.
std::optional<ProcessMark> mark_of_this_process();
// The mark of a process under the same kernel, in the same PID namespace.
std::optional<ProcessMark> mark_of(std::int32_t pid);

class ProcessWatch {
public:
    virtual ~ProcessWatch() = default;  // stops watching
};

// Calls `gone` once, from the loop, when the process with that mark ends. Nothing if it runs under another
// kernel or in another PID namespace, or if the kernel does not let us watch it.
std::unique_ptr<ProcessWatch> watch_process(boost::asio::io_context& loop, const ProcessMark& self,
                                            const ProcessMark& other, std::function<void()> gone);

// The same for a process whose pidfd we have. Nothing if it cannot be watched.
std::unique_ptr<ProcessWatch> watch_descriptor(boost::asio::io_context& loop, Descriptor process,
                                               std::function<void()> gone);

}  // namespace allot::net
