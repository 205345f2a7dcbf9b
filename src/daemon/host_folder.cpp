#include "daemon/host_folder.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/bytes.hpp"
#include "durable/record.hpp"

namespace allot::daemon {

namespace {

constexpr std::string_view kind = "host";
constexpr std::string_view voters_kind = "voters";
constexpr std::string_view settings_kind = "settings";

// The notes of a daemon without a register.
struct EarlierMark {
    std::uint32_t incarnation = 0;
    std::uint32_t life = 0;
    std::uint32_t epoch = 0;  // the high part of fences
    std::vector<std::uint32_t> refused;
    bool forgetful = false;
};
BOOST_DESCRIBE_STRUCT(EarlierMark, (), (incarnation, life, epoch, refused, forgetful))
constexpr durable::Editions earlier_formats{1, 7};

}  // namespace

// A file that another version has written is whole: that version reads it.
Error with_way_back(Error error, const std::string& folder, std::string_view file) {
    const std::string path = fmt::format("{}/{}", folder, file);
    constexpr durable::Editions all{0, every_member};
    if (::access(path.c_str(), R_OK) != 0 || durable::read_record(path, file, all)) return error;
    return {fmt::format(
        "{}; move the folder {} away, and let this host join again: `allot cluster join ADDRESS --config "
        "FILE`, with the address of a host of the cluster; if this is the only one, `allot cluster init "
        "--above N --config FILE`, with a number above all its views",
        error.message, folder)};
}

Result<HostFolder::Memory> HostFolder::open() {
    std::error_code failure;
    std::filesystem::create_directories(path_, failure);
    lock_ = Descriptor(::open((path_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_)
        return Error{fmt::format("{}: {}; write a folder that this user may write to, as in state = \"...\"",
                                 path_, std::strerror(errno))};
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{fmt::format(
            "{}: another daemon runs with this state folder; stop it, or write another `state`", path_)};
    const auto record = durable::read_record(memory_file(), kind);
    if (!record) return with_way_back({record.error()}, path_, kind);
    if (!*record) {
        if (const auto taken = take_over_earlier_version(); !taken) return Error{taken.error()};
        return memory_;
    }
    auto memory = from_bytes<Memory>((*record)->content, (*record)->edition);
    if (!memory) return Error{path_ + "/host: it belongs to another version of allot"};
    sequence_ = (*record)->sequence;
    return memory_ = std::move(*memory);
}

Result<bool> HostFolder::take_over_earlier_version() {
    const std::string name = path_ + "/running";
    const auto record = durable::read_record(name, "running", earlier_formats);
    const auto mark = record && *record ? from_bytes<EarlierMark>((*record)->content) : std::nullopt;
    if (record && !*record) return true;  // there was none
    if (!mark)
        return Error{
            name +
            ": an earlier version of allot left it, and it cannot be read; move it away, and say where "
            "fences begin with `allot cluster init --above N`"};
    Memory memory = memory_;
    memory.view = mark->epoch;
    if (const auto noted = note(memory); !noted) return noted;
    if (const auto aside = set_aside("stopped"); !aside) return aside;
    return set_aside("running");
}

Result<std::vector<std::string>> HostFolder::voters() const {
    const std::string name = path_ + "/voters";
    const auto record = durable::read_record(name, voters_kind);
    if (!record) return Error{record.error()};
    if (!*record) return std::vector<std::string>();
    auto names = from_bytes<std::vector<std::string>>((*record)->content, (*record)->edition);
    if (!names) return Error{name + ": it belongs to another version of allot"};
    return std::move(*names);
}

Result<bool> HostFolder::name_voters(const std::vector<std::string>& names) const {
    return durable::write_record(path_ + "/voters",
                                 {std::string(voters_kind), edition_, 0, to_bytes(names, edition_)});
}

Result<std::optional<agreement::Settings>> HostFolder::settings() const {
    const std::string name = path_ + "/settings";
    const auto record = durable::read_record(name, settings_kind);
    if (!record) return Error{record.error()};
    if (!*record) return std::optional<agreement::Settings>();
    auto settings = from_bytes<agreement::Settings>((*record)->content, (*record)->edition);
    if (!settings) return Error{name + ": it belongs to another version of allot"};
    return std::optional(std::move(*settings));
}

Result<bool> HostFolder::note_settings(const agreement::Settings& settings) const {
    const Edition edition = settings.edition();
    return durable::write_record(path_ + "/settings",
                                 {std::string(settings_kind), edition, 0, to_bytes(settings, edition)});
}

Result<bool> HostFolder::set_aside(const std::string& name) const {
    const std::string from = path_ + "/" + name;
    const std::string to = fmt::format("{}.before-{}", from, std::time(nullptr));
    if (::rename(from.c_str(), to.c_str()) == 0) return true;
    if (errno == ENOENT) return false;
    return Error{fmt::format("{}: it cannot be renamed: {}", from, std::strerror(errno))};
}

Result<bool> HostFolder::note(const Memory& memory) {
    if (memory == memory_) return true;
    const Memory before = memory_;
    auto written = durable::write_record(memory_file(), record_of(memory));
    if (!written) memory_ = before;
    return written;
}

durable::Record HostFolder::record_of(const Memory& memory) {
    memory_ = memory;
    return {std::string(kind), edition_, ++sequence_, to_bytes(memory, edition_)};
}

}  // namespace allot::daemon
