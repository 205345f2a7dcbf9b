#include "net/process_watch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "base/processes.hpp"

namespace allot::net {

namespace {

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// Field 22 of the line; field 2 is the program's name in brackets and may contain any character.
std::optional<std::uint64_t> start_of(std::int32_t pid) {
    const std::string line = first_line(fmt::format("/proc/{}/stat", pid));
    const std::size_t bracket = line.rfind(')');
    if (bracket == std::string::npos) return std::nullopt;
    std::istringstream fields(line.substr(bracket + 1));
    std::string field;
    for (int i = 3; i <= 22; ++i) fields >> field;
    std::uint64_t start = 0;
    const auto [end, failure] = std::from_chars(field.data(), field.data() + field.size(), start);
    if (!fields || failure != std::errc{} || end != field.data() + field.size()) return std::nullopt;
    return start;
}

std::string own_pid_namespace() {
    std::error_code failure;
    return std::filesystem::read_symlink("/proc/self/ns/pid", failure).string();
}

// Waits until a process has ended. The watch owns it, and the loop only knows it weakly.
class PidWait : public std::enable_shared_from_this<PidWait> {
public:
    PidWait(boost::asio::io_context& loop, std::function<void()> gone)
        : loop_(loop), process_(loop), gone_(std::move(gone)) {}

    bool start(Descriptor process) {
        boost::system::error_code failure;
        process_.assign(process.get(), failure);
        if (failure) return false;
        process.release();
        wait();
        return true;
    }

    void tell() {
        boost::asio::post(loop_, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->gone_();
        });
    }

private:
    // The kernel makes a pidfd readable when its process ends. Asio may call without that: it gives a closed
    // descriptor's record to the next one, with the events that are still queued for it. So the kernel is
    // asked.
    void wait() {
        process_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                            [weak = weak_from_this()](const boost::system::error_code& stopped) {
                                const auto self = weak.lock();
                                if (!self || stopped) return;
                                if (process_ended(self->process_.native_handle())) return self->gone_();
                                self->wait();
                            });
    }

    boost::asio::io_context& loop_;
    boost::asio::posix::stream_descriptor process_;
    const std::function<void()> gone_;
};

class PidWatch final : public ProcessWatch {
public:
    PidWatch(boost::asio::io_context& loop, std::function<void()> gone)
        : wait_(std::make_shared<PidWait>(loop, std::move(gone))) {}

    bool watch(Descriptor process) { return wait_->start(std::move(process)); }
    void tell() { wait_->tell(); }

private:
    const std::shared_ptr<PidWait> wait_;
};

// True if both run under one kernel, in one PID namespace.
bool can_be_asked(const ProcessMark& self, const ProcessMark& other) {
    return self.boot == other.boot && self.pid_namespace == other.pid_namespace && other.pid > 0;
}

}  // namespace

std::optional<ProcessMark> mark_of_this_process() {
    return mark_of(static_cast<std::int32_t>(::getpid()));
}

std::optional<ProcessMark> mark_of(std::int32_t pid) {
    // Neither changes while this process runs.
    static const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
    static const std::string pid_namespace = own_pid_namespace();
    const auto started = start_of(pid);
    if (boot.empty() || pid_namespace.empty() || !started) return std::nullopt;
    return ProcessMark{.boot = boot, .pid_namespace = pid_namespace, .pid = pid, .started = *started};
}

std::unique_ptr<ProcessWatch> watch_process(boost::asio::io_context& loop, const ProcessMark& self,
                                            const ProcessMark& other, std::function<void()> gone) {
    if (!can_be_asked(self, other)) return nullptr;
    Descriptor process = open_process(other.pid);
    const bool gone_before = !process && errno == ESRCH;
    if (!process && !gone_before) return nullptr;
    auto watch = std::make_unique<PidWatch>(loop, std::move(gone));
    // The pidfd refers to the process that has the number now. If that is another one, the process has ended.
    if (gone_before || start_of(other.pid) != other.started) {
        watch->tell();
    } else if (!watch->watch(std::move(process))) {
        return nullptr;
    }
    return watch;
}

std::unique_ptr<ProcessWatch> watch_descriptor(boost::asio::io_context& loop, Descriptor process,
                                               std::function<void()> gone) {
    auto watch = std::make_unique<PidWatch>(loop, std::move(gone));
    if (!watch->watch(std::move(process))) return nullptr;
    return watch;
}

}  // namespace allot::net
