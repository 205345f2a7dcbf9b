// Values<Base>: how to make, copy, compare and encode values of one type that is derived from Base, for code
// that knows only Base. values_of<T, Base> is the table of T. A Box owns one such value.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "core/bytes.hpp"
#include "core/type_of.hpp"

namespace allot {

template <class Base>
struct Values {
    const Type* type = nullptr;
    std::size_t size = 0;
    std::size_t align = 0;
    Base* (*make)() = nullptr;
    Base* (*construct)(void* place) = nullptr;  // in memory of that size and alignment
    void (*destroy_at)(Base*) = nullptr;        // and keeps the memory
    Base* (*copy)(const Base&) = nullptr;
    void (*assign)(Base& to, const Base& from) = nullptr;
    void (*reset)(Base&) = nullptr;  // to the default
    void (*destroy)(Base*) = nullptr;
    bool (*equal)(const Base&, const Base&) = nullptr;
    void (*encode)(const Base&, std::string& out) = nullptr;
    bool (*decode)(std::string_view& in, Base& out) = nullptr;
    // The whole value, for what walks through the table of its type.
    void* (*whole)(Base&) = nullptr;
    const void* whole_of(const Base& value) const { return whole(const_cast<Base&>(value)); }
};

template <Reflectable T, class Base>
inline constexpr Values<Base> values_of{
    .type = &type_of<T>,
    .size = sizeof(T),
    .align = alignof(T),
    .make = []() -> Base* { return new T(); },
    .construct = [](void* place) -> Base* { return new (place) T(); },
    .destroy_at = [](Base* value) { std::destroy_at(static_cast<T*>(value)); },
    .copy = [](const Base& value) -> Base* { return new T(static_cast<const T&>(value)); },
    .assign = [](Base& to, const Base& from) { static_cast<T&>(to) = static_cast<const T&>(from); },
    .reset = [](Base& value) { static_cast<T&>(value) = T(); },
    .destroy = [](Base* value) { delete static_cast<T*>(value); },
    .equal = [](const Base& a,
                const Base& b) { return static_cast<const T&>(a) == static_cast<const T&>(b); },
    .encode = [](const Base& value, std::string& out) { allot::encode(static_cast<const T&>(value), out); },
    .decode = [](std::string_view& in, Base& out) { return allot::decode(in, static_cast<T&>(out)); },
    .whole = [](Base& value) -> void* { return &static_cast<T&>(value); },
};

template <class Base>
class Box {
public:
    Box() = default;
    explicit Box(const Values<Base>& values) : values_(&values), value_(values.make()) {}
    Box(const Values<Base>& values, const Base& value) : values_(&values), value_(values.copy(value)) {}
    Box(const Box& other)
        : values_(other.values_), value_(other.value_ != nullptr ? values_->copy(*other.value_) : nullptr) {}
    Box(Box&& other) noexcept : values_(other.values_), value_(std::exchange(other.value_, nullptr)) {}
    Box& operator=(Box other) noexcept {
        std::swap(values_, other.values_);
        std::swap(value_, other.value_);
        return *this;
    }
    ~Box() {
        if (value_ != nullptr) values_->destroy(value_);
    }

    explicit operator bool() const { return value_ != nullptr; }
    Base& operator*() { return *value_; }
    const Base& operator*() const { return *value_; }
    Base* operator->() { return value_; }
    const Base* operator->() const { return value_; }

private:
    const Values<Base>* values_ = nullptr;
    Base* value_ = nullptr;
};

}  // namespace allot
