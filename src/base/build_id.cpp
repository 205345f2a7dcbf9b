#include "base/build_id.hpp"

#include <cstddef>
#include <cstring>
#include <elf.h>
#include <link.h>

namespace allot {

namespace {

constexpr std::size_t aligned(std::size_t size) {
    return (size + 3) / 4 * 4;
}

std::string in_hex(const unsigned char* bytes, std::size_t size) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

// A segment of notes: each has a header, a name and a content, the latter two aligned.
std::string id_among(const unsigned char* notes, std::size_t size) {
    for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes + at, sizeof note);
        const std::size_t content = at + sizeof note + aligned(note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID && content + note.n_descsz <= size)
            return in_hex(notes + content, note.n_descsz);
        at = content + aligned(note.n_descsz);
    }
    return "";
}

}  // namespace

std::string build_id() {
    std::string id;
    const auto look = [](dl_phdr_info* program, std::size_t, void* found) {
        for (int i = 0; i < program->dlpi_phnum; ++i) {
            const auto& segment = program->dlpi_phdr[i];
            if (segment.p_type != PT_NOTE) continue;
            const auto* notes = reinterpret_cast<const unsigned char*>(program->dlpi_addr + segment.p_vaddr);
            *static_cast<std::string*>(found) += id_among(notes, segment.p_memsz);
        }
        return 1;  // the first is the program itself; its libraries follow
    };
    dl_iterate_phdr(look, &id);
    return id;
}

}  // namespace allot
