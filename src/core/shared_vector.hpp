// SharedVector<T>: a vector for values that are mostly equal. Copies share their memory until one of them
// changes, and so do equal parts of one vector: a site that knows the same of thousands of peers needs
// little.
//
// Reading is as with std::vector. Writing copies a shared part first; `share` merges the parts that were
// written since the last call with equal ones near them. Without a call everything works, and takes more
// memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

namespace allot {

template <class T>
class SharedVector {
public:
    using value_type = T;

    class Iterator {
    public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        Iterator() = default;
        Iterator(const SharedVector& vector, std::size_t index) : vector_(&vector), index_(index) {}
        const T& operator*() const { return (*vector_)[index_]; }
        Iterator& operator++() {
            ++index_;
            return *this;
        }
        Iterator operator++(int) { return {*vector_, index_++}; }
        bool operator==(const Iterator&) const = default;

    private:
        const SharedVector* vector_ = nullptr;
        std::size_t index_ = 0;
    };
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size_}; }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    const T& operator[](std::size_t index) const { return parts_[index / part_size][index % part_size]; }
    // For writing. The reference is valid until `share` or a change of the size.
    T& operator[](std::size_t index) {
        Part& part = parts_[index / part_size];
        if (part.use_count() > 1) part = copy_of(part, length(index / part_size));
        note_written(index);
        return part[index % part_size];
    }

    void resize(std::size_t size) {
        if (size == size_) return;
        const std::size_t whole = std::min(size, size_) / part_size;  // parts that stay as they are
        const std::size_t rest = std::min(size, size_) % part_size;
        const Part broken = rest > 0 ? parts_[whole] : nullptr;
        parts_.resize(whole);
        written_.clear();
        for (size_ = size; parts_.size() * part_size < size;) {
            const bool first = parts_.size() == whole;
            parts_.push_back(copy_of(broken, first ? rest : 0, length(parts_.size())));
            written_.push_back(parts_.size() * part_size - part_size);
        }
        share();
    }
    void push_back(T value) {
        resize(size_ + 1);
        (*this)[size_ - 1] = std::move(value);
    }
    void clear() { *this = {}; }

    // Invalidates references to elements.
    void share() {
        for (const std::size_t index : written_) {
            const std::size_t part = index / part_size;
            // Most writes leave a part different in the element that was written.
            const auto equals = [&](std::size_t other) {
                return other < parts_.size() && length(other) == length(part) &&
                       parts_[other][index % part_size] == parts_[part][index % part_size] &&
                       same(parts_[other], parts_[part], length(part));
            };
            for (const std::size_t near : {part - 1, part + 1, part - 2, part + 2})
                if (equals(near)) {
                    parts_[part] = parts_[near];
                    break;
                }
        }
        written_.clear();
    }

    friend bool operator==(const SharedVector& a, const SharedVector& b) {
        if (a.size_ != b.size_) return false;
        for (std::size_t part = 0; part < a.parts_.size(); ++part)
            if (!same(a.parts_[part], b.parts_[part], a.length(part))) return false;
        return true;
    }

private:
    using Part = std::shared_ptr<T[]>;
    static constexpr std::size_t part_size = 32;

    // Backwards: sites write about their peers in ascending order, so unequal parts mostly differ at the end.
    static bool same(const Part& a, const Part& b, std::size_t length) {
        const auto from_end = [&](const Part& part) {
            return std::make_reverse_iterator(part.get() + length);
        };
        return a == b || std::equal(from_end(a), std::make_reverse_iterator(a.get()), from_end(b));
    }
    static Part copy_of(const Part& part, std::size_t copied, std::size_t length) {
        const Part made = std::make_shared<T[]>(length);
        if (part) std::copy_n(part.get(), std::min(copied, length), made.get());
        return made;
    }
    static Part copy_of(const Part& part, std::size_t length) { return copy_of(part, length, length); }
    // A single part has no other to share with.
    void note_written(std::size_t index) {
        if (parts_.size() < 2) return;
        if (written_.empty() || written_.back() / part_size != index / part_size) written_.push_back(index);
        written_.back() = index;
    }
    std::size_t length(std::size_t part) const { return std::min(part_size, size_ - part * part_size); }

    std::size_t size_ = 0;
    std::vector<Part> parts_;           // all but the last of the same size
    std::vector<std::size_t> written_;  // since the last `share`: an element of each part
};

}  // namespace allot
