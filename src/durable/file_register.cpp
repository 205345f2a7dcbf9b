#include "durable/file_register.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/harmless.hpp"
#include "durable/register_record.hpp"

namespace allot::durable {

using agreement::Value;

namespace {

// The file is replaced with every change, so the lock is on another one beside it.
// Empty if somebody else has the lock and this one shall not wait.
Result<Descriptor> lock(const std::string& path, int flags = 0) {
    Descriptor file(::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0660));
    int locked = -1;
    while (file && (locked = ::flock(file.get(), LOCK_EX | flags)) != 0 && errno == EINTR) {
    }
    if (file && locked != 0 && errno == EWOULDBLOCK) return Descriptor();
    if (!file || locked != 0) return Error{path + ".lock: " + std::strerror(errno)};
    return file;
}

// The process that has locked this file, as it has written there.
std::string occupant(int file) {
    std::array<char, 256> text{};
    const ssize_t size = ::pread(file, text.data(), text.size(), 0);
    return size > 0 ? harmless({text.data(), static_cast<std::size_t>(size)}) : "another process";
}

}  // namespace

Result<Descriptor> FileRegister::occupy(const std::string& host, const std::string& who) const {
    // No name of a host makes it the file of another lock, such as `register.lock`.
    const std::string name = path_ + "-host." + host;
    Descriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0660));
    if (!file) return Error{name + ": " + std::strerror(errno)};
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{"host " + host + " runs already: " + occupant(file.get()) + " has " + name};
    // Only people read it, so a disk that is full does no harm.
    if (::ftruncate(file.get(), 0) == 0) (void)!::pwrite(file.get(), who.data(), who.size(), 0);
    return file;
}

Result<bool> FileRegister::exists() const {
    const auto record = read_record(path_, register_kind);
    if (!record) return Error{record.error()};
    return record->has_value();
}

Result<bool> FileRegister::found(std::uint32_t view, bool quiet,
                                 std::optional<agreement::Settings> settings) const {
    const auto locked = lock(path_);
    if (!locked) return Error{locked.error()};
    const auto record = read_record(path_, register_kind);
    if (!record) return Error{record.error()};
    if (*record) return true;
    return write_record(path_,
                        record_of(Value{.view = view, .quiet = quiet, .settings = std::move(settings)}));
}

Result<Value> FileRegister::read() const {
    const auto record = read_record(path_, register_kind);
    if (!record) return Error{record.error()};
    if (!*record) return Value{};
    return value_of(**record, path_);
}

Result<Value> FileRegister::exchange(const Value& expected, const agreement::Change& change,
                                     const agreement::ValueId& id) const {
    const auto locked = lock(path_, LOCK_NB);
    if (!locked) return Error{locked.error()};
    auto newest = read();
    if (!*locked) return newest;
    if (!newest || newest->version != expected.version || newest->id != expected.id) return newest;
    const Value next = change.applied_to(*newest, id);
    if (const auto written = write_record(path_, record_of(next)); !written) return Error{written.error()};
    return next;
}

}  // namespace allot::durable
