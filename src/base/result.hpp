// A value, or an error: one line that says what is wrong and what to write instead.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace allot {

struct Error {
    std::string message;
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::move(value)) {}
    Result(Error error) : content_(std::move(error)) {}

    explicit operator bool() const { return content_.index() == 0; }
    T& operator*() { return std::get<0>(content_); }
    const T& operator*() const { return std::get<0>(content_); }
    T* operator->() { return &std::get<0>(content_); }
    const T* operator->() const { return &std::get<0>(content_); }
    const std::string& error() const { return std::get<1>(content_).message; }

private:
    std::variant<T, Error> content_;
};

}  // namespace allot
