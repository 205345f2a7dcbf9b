// A file descriptor that its owner closes.
#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace allot {

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }

    explicit operator bool() const { return number_ >= 0; }
    int get() const { return number_; }
    // Another descriptor of the same; empty, with errno, if there is none left.
    Descriptor copy() const { return Descriptor(::fcntl(number_, F_DUPFD_CLOEXEC, 0)); }
    int release() { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

}  // namespace allot
