#include "daemon/host_folder.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>

#include "core/bytes.hpp"
#include "durable/record.hpp"

namespace allot::daemon {

namespace {

constexpr std::string_view kind = "host";
constexpr std::uint32_t format = 1;

}  // namespace

Result<HostFolder::Memory> HostFolder::open() {
    std::error_code failure;
    std::filesystem::create_directories(path_, failure);
    lock_ = Descriptor(::open((path_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_)
        return Error{fmt::format("{}: {}; write a folder that this user may write to, as in state = \"...\"",
                                 path_, std::strerror(errno))};
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{fmt::format("{}: another daemon runs with this state folder", path_)};
    const auto record = durable::read_record(path_ + "/host", kind, format);
    if (!record) return Error{record.error()};
    if (!*record) return memory_;
    auto memory = from_bytes<Memory>((*record)->content);
    if (!memory) return Error{path_ + "/host: it belongs to another version of allot"};
    sequence_ = (*record)->sequence;
    return memory_ = std::move(*memory);
}

Result<bool> HostFolder::note(const Memory& memory) {
    if (memory == memory_) return true;
    const auto written =
        durable::write_record(path_ + "/host", {std::string(kind), format, sequence_ + 1, to_bytes(memory)});
    if (!written) return written;
    ++sequence_;
    memory_ = memory;
    return true;
}

}  // namespace allot::daemon
