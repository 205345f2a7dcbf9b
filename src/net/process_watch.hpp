// Asks the kernel about the process of another host that runs under the same kernel: it knows for certain,
// and at once, when that process is gone.
#pragma once

#include <functional>
#include <memory>

#include "base/descriptor.hpp"
#include "net/link_frames.hpp"
#include "net/loop.hpp"

namespace allot::net {

// Of this process; nothing where /proc does not tell.
std::optional<ProcessMark> mark_of_this_process();
// Of another under the same kernel and among the same numbers.
std::optional<ProcessMark> mark_of(std::int32_t pid);

class ProcessWatch {
public:
    virtual ~ProcessWatch() = default;  // stops watching
};

// Whether it is known that the process with that mark is no more.
bool has_ended(const ProcessMark& self, const ProcessMark& other);

// Calls `gone` once, from the loop, when the process with that mark is no more. Nothing if it runs under
// another kernel, or among other process numbers, or if the kernel does not let us watch it.
std::unique_ptr<ProcessWatch> watch_process(boost::asio::io_context& loop, const ProcessMark& self,
                                            const ProcessMark& other, std::function<void()> gone);

// Whose descriptor (pidfd) this is; nothing if it is of something else. Whoever gave it to us may have given
// anything.
std::optional<std::int32_t> pid_of(const Descriptor& process);
// Whether the process of this descriptor is no more.
bool has_ended(const Descriptor& process);
// The same for a process whose descriptor we have. Nothing if it cannot be watched.
std::unique_ptr<ProcessWatch> watch_descriptor(boost::asio::io_context& loop, Descriptor process,
                                               std::function<void()> gone);

}  // namespace allot::net
