#include "guardian/page.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace allot::guardian {

namespace {

constexpr std::uint64_t page_magic = 0x3267'7261'7564'6761;
constexpr int seals = F_SEAL_SHRINK | F_SEAL_SEAL;

Error page_error() {
    return Error{std::string("the page of the guardian: ") + std::strerror(errno)};
}

}  // namespace

void SharedPage::Unmap::operator()(Page* page) const {
    ::munmap(page, sizeof(Page));
}

SharedPage::Mapped SharedPage::mapped(const Descriptor& memory) {
    void* const place = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
    return Mapped(place == MAP_FAILED ? nullptr : static_cast<Page*>(place));
}

Result<SharedPage> SharedPage::create() {
    Descriptor memory(::memfd_create("allot-guardian", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory || ::ftruncate(memory.get(), sizeof(Page)) != 0 ||
        ::fcntl(memory.get(), F_ADD_SEALS, seals) != 0)
        return page_error();
    Mapped page = mapped(memory);
    if (!page) return page_error();
    new (page.get()) Page{.magic = page_magic};
    return SharedPage(std::move(memory), std::move(page));
}

Result<SharedPage> SharedPage::map(Descriptor memory) {
    struct stat state {};
    const int sealed = ::fcntl(memory.get(), F_GET_SEALS);
    if (sealed < 0 || ::fstat(memory.get(), &state) != 0) return page_error();
    if ((sealed & F_SEAL_SHRINK) == 0 || state.st_size < static_cast<off_t>(sizeof(Page)))
        return Error{"the page of the guardian is none"};
    Mapped page = mapped(memory);
    if (!page) return page_error();
    if (page->magic != page_magic) return Error{"the page of the guardian is none"};
    return SharedPage(std::move(memory), std::move(page));
}

BootClock::time_point SharedPage::deadline() const {
    constexpr auto latest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const std::uint64_t value = page_->deadline_ns.load(std::memory_order_acquire);
    return BootClock::time_point(std::chrono::nanoseconds(std::min(value, latest)));
}

void SharedPage::set(BootClock::time_point deadline, std::uint64_t keeper) {
    page_->keeper.store(keeper, std::memory_order_release);
    const auto value = std::max<std::int64_t>(deadline.time_since_epoch().count(), 0);
    page_->deadline_ns.store(static_cast<std::uint64_t>(value), std::memory_order_release);
}

}  // namespace allot::guardian
