#include "audit/journal.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-journal.h>
#include <vector>

#include "base/descriptor.hpp"

namespace allot::audit {

namespace {

constexpr const char* journald_socket = "/run/systemd/journal/socket";
// Marks the lines of audit logs among all others.
constexpr const char* message_id = "MESSAGE_ID=7b1d5f0c6a8e4c52b3f9e2a4d7c81035";

std::vector<std::string> fields_of(const Entry& entry) {
    std::string line = line_of(entry);
    line.pop_back();
    const bool is_bad = entry.event == "lost" || entry.event == "refused" || entry.event == "unadopted";
    std::vector<std::string> fields{"MESSAGE=" + line,          message_id,
                                    "SYSLOG_IDENTIFIER=allot",  is_bad ? "PRIORITY=4" : "PRIORITY=6",
                                    "ALLOT_HOST=" + entry.host, "ALLOT_EVENT=" + entry.event};
    if (!entry.user.empty()) fields.push_back("ALLOT_USER=" + entry.user);
    if (entry.pid != 0) fields.push_back(fmt::format("ALLOT_PID={}", entry.pid));
    if (!entry.command.empty()) fields.push_back("ALLOT_COMMAND=" + entry.command);
    for (const session::Held& one : entry.resources) {
        fields.push_back("ALLOT_RESOURCE=" + one.name);
        if (one.fence != 0) fields.push_back(fmt::format("ALLOT_FENCE={}", one.fence));
    }
    if (!entry.reason.empty()) fields.push_back("ALLOT_REASON=" + entry.reason);
    if (entry.after_ms != 0) fields.push_back(fmt::format("ALLOT_AFTER_MS={}", entry.after_ms));
    return fields;
}

// libsystemd drops lines without an error if there is no socket, and blocks if journald does not read it. So
// this asks before: a datagram socket is ready if its peer has room.
std::optional<std::string> why_not_now() {
    const auto wrong = [](const char* why) { return fmt::format("{}: {}", journald_socket, why); };
    const Descriptor probe(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::strncpy(address.sun_path, journald_socket, sizeof address.sun_path - 1);
    if (!probe || ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return wrong(std::strerror(errno));
    pollfd ready{.fd = probe.get(), .events = POLLOUT, .revents = 0};
    if (::poll(&ready, 1, 0) != 1) return wrong("journald does not read what it is sent");
    return std::nullopt;
}

struct Close {
    void operator()(sd_journal* journal) const { sd_journal_close(journal); }
};
using Journal = std::unique_ptr<sd_journal, Close>;

Result<Journal> open_journal(const std::string& host) {
    sd_journal* opened = nullptr;
    if (const int failure = sd_journal_open(&opened, SD_JOURNAL_LOCAL_ONLY); failure < 0)
        return Error{fmt::format("the journal cannot be opened: {}", std::strerror(-failure))};
    Journal journal(opened);
    if (sd_journal_has_runtime_files(opened) <= 0 && sd_journal_has_persistent_files(opened) <= 0)
        return Error{
            "there is no journal here that this user may read; try as root, or in group systemd-journal"};
    sd_journal_set_data_threshold(opened, 0);  // whole lines
    sd_journal_add_match(opened, message_id, 0);
    sd_journal_add_match(opened, ("ALLOT_HOST=" + host).c_str(), 0);
    return journal;
}

}  // namespace

std::optional<std::string> send_to_journal(const Entry& entry) {
    if (auto why = why_not_now()) return why;
    const std::vector<std::string> fields = fields_of(harmless_entry(entry));
    std::vector<iovec> parts;
    for (const std::string& field : fields) parts.push_back({const_cast<char*>(field.data()), field.size()});
    const int failure = sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
    if (failure < 0) return fmt::format("{}: {}", journald_socket, std::strerror(-failure));
    return std::nullopt;
}

Result<bool> read_journal(const std::string& host, const std::function<bool(const Entry&)>& f) {
    const auto journal = open_journal(host);
    if (!journal) return Error{journal.error()};
    constexpr std::string_view field = "MESSAGE=";
    int more = sd_journal_seek_head(journal->get());
    while (more >= 0 && (more = sd_journal_next(journal->get())) > 0) {
        const void* data = nullptr;
        std::size_t length = 0;
        if (sd_journal_get_data(journal->get(), "MESSAGE", &data, &length) < 0) continue;
        const std::string_view line(static_cast<const char*>(data), length);
        const auto entry = parse_line(line.substr(field.size()));
        if (!entry) return Error{fmt::format("the journal: {}: {}", entry.error(), line)};
        if (!f(*entry)) return true;
    }
    if (more < 0) return Error{fmt::format("the journal cannot be read: {}", std::strerror(-more))};
    return true;
}

}  // namespace allot::audit
