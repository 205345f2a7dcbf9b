// Asks the kernel about the process of another host that runs under the same kernel: it knows for certain,
// and at once, when that process is gone.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "net/link_frames.hpp"

namespace allot::net {

// Of this process; nothing where /proc does not tell.
std::optional<ProcessMark> mark_of_this_process();

class ProcessWatch {
public:
    virtual ~ProcessWatch() = default;  // stops watching
};

// Calls `gone` once, from the loop, when the process with that mark is no more. Nothing if it runs under
// another kernel, or among other process numbers, or if the kernel does not let us watch it.
std::unique_ptr<ProcessWatch> watch_process(boost::asio::io_context& loop, const ProcessMark& self,
                                            const ProcessMark& other, std::function<void()> gone);

}  // namespace allot::net
