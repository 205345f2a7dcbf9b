// Changes a bit of every lease that a daemon left behind: forger FOLDER, the state folder of a daemon that
// does not run. What the guardian keeps is whole otherwise, and so are the notes in its memory: only the
// receipts can tell.
#include <cstdio>
#include <poll.h>

#include "daemon/ledger.hpp"
#include "guardian/link.hpp"

namespace {

using namespace allot;

// The first byte is part of the session's number.
void forge(std::string& record) {
    record.front() = static_cast<char>(record.front() ^ 1);
}

// Waits until the guardian has all charges as they are now.
bool keep_forged(guardian::Link& link) {
    std::vector<guardian::Charge> charges = link.taken_over();
    for (guardian::Charge& charge : charges) {
        forge(charge.record);
        if (!link.keep(charge)) return false;
    }
    std::size_t kept = 0;
    while (kept < charges.size()) {
        pollfd readable{.fd = link.descriptor(), .events = POLLIN, .revents = 0};
        ::poll(&readable, 1, -1);
        const guardian::News news = link.read();
        if (news.gone) return false;
        kept += news.kept.size();
    }
    std::printf("%zu charges\n", charges.size());
    return true;
}

bool write_forged(guardian::Link& link) {
    daemon::Ledger ledger;
    if (!ledger.open(link.memory(), guardian::page_room)) return false;
    const auto found = ledger.take_over();
    for (daemon::Ledger::Note note : found.notes) {
        ledger.erase(note.place);
        forge(note.bytes);
        if (!ledger.write(note.bytes)) return false;
    }
    std::printf("%zu notes\n", found.notes.size());
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: forger FOLDER\n", stderr);
        return 2;
    }
    const auto link = guardian::Link::open(argv[1], std::chrono::milliseconds(1000));
    return link && keep_forged(**link) && write_forged(**link) ? 0 : 1;
}
