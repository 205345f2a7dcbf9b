// The page that daemon and guardian share: until when the programs of this host may run. The daemon moves the
// deadline without a system call, and the guardian reads it when its timer fires.
//
// The page is the beginning of a memory that lives as long as the guardian. Behind the page a daemon may
// write for its successor; the guardian does not look there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/boot_clock.hpp"
#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace allot::guardian {

struct Page {
    std::uint64_t magic = 0;
    std::atomic<std::uint64_t> deadline_ns = 0;  // of BootClock; 0: no lease was ever given
    std::atomic<std::uint64_t> keeper = 0;       // the incarnation under whose lease the programs run
    std::atomic<std::uint64_t> strangers = 0;    // leases under it that nothing here stands for
    std::atomic<std::uint64_t> notes = 0;        // leases that only the memory behind the page stands for
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share it");
constexpr std::size_t page_room = std::size_t{1} << 16;  // a multiple of every kernel's page size
static_assert(sizeof(Page) <= page_room);

class SharedPage {
public:
    // The memory cannot shrink, so no process that has it can make the other one crash. It may grow.
    static Result<SharedPage> create();
    static Result<SharedPage> map(Descriptor memory);

    BootClock::time_point deadline() const;
    std::uint64_t keeper() const { return page_->keeper.load(std::memory_order_acquire); }
    std::uint64_t strangers() const { return page_->strangers.load(std::memory_order_acquire); }
    void set_strangers(std::uint64_t count) { page_->strangers.store(count, std::memory_order_release); }
    std::uint64_t notes() const { return page_->notes.load(std::memory_order_acquire); }
    void set_notes(std::uint64_t count) { page_->notes.store(count, std::memory_order_release); }
    // The keeper first: a daemon that dies in between leaves its number with the earlier deadline.
    void set(BootClock::time_point deadline, std::uint64_t keeper);

    const Descriptor& memory() const { return memory_; }

private:
    struct Unmap {
        void operator()(Page* page) const;
    };
    using Mapped = std::unique_ptr<Page, Unmap>;
    SharedPage(Descriptor memory, Mapped page) : memory_(std::move(memory)), page_(std::move(page)) {}
    static Mapped mapped(const Descriptor& memory);

    Descriptor memory_;
    Mapped page_;
};

}  // namespace allot::guardian
