// The graph of explored worlds, as the exploration leaves it and the liveness analysis reads it. A node is
// named by the position of its record and the thread that owns it; edges are recomputed from the world.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/store.hpp"
#include "walk/walker.hpp"

namespace allot::check {

// position * owners + owner; 0 is no node.
using Node = std::uint32_t;

class Graph {
public:
    Graph(walk::Machine& machine, StoreKind kind, bool from_anywhere, unsigned owners, std::size_t bytes_each)
        : machine_(machine), kind_(kind), from_anywhere_(from_anywhere) {
        const std::size_t addressable = (std::size_t{0xFFFF0000u} / owners) * sizeof(std::uint32_t);
        for (unsigned i = 0; i < owners; ++i) stores_.emplace_back(kind, std::min(bytes_each, addressable));
        level_ends_.resize(owners);
    }

    unsigned owners() const { return static_cast<unsigned>(stores_.size()); }
    unsigned owner_of(std::uint64_t hash) const {
        return static_cast<unsigned>(((hash >> 48 & 0xFFFF) * stores_.size()) >> 16);
    }
    Store& store(unsigned owner) { return stores_[owner]; }
    const Store& store(unsigned owner) const { return stores_[owner]; }

    Node node(unsigned owner, Position at) const { return at * owners() + owner; }
    unsigned owner(Node node) const { return node % owners(); }
    Position position(Node node) const { return node / owners(); }

    Tuple tuple(Node node) const { return stores_[owner(node)].tuple(position(node)); }
    walk::World world(Node node) const {
        walk::World world;
        unpack(tuple(node), machine_.setup().sites, world);
        return world;
    }
    // True if this is the node's tuple, as far as the store can tell.
    bool is(Node node, Tuple tuple) const {
        if (kind_ == StoreKind::fingerprint)
            return stores_[owner(node)].fingerprint(position(node)) == hash_of(tuple);
        return equal(this->tuple(node), tuple);
    }
    StoreKind kind() const { return kind_; }
    // 0 for the starts, and for an unknown world.
    Node parent(Node node) const { return stores_[owner(node)].parent(position(node)); }
    Node find(Tuple tuple) const {
        const std::uint64_t hash = hash_of(tuple);
        const unsigned owner = owner_of(hash);
        const Position at = stores_[owner].find(tuple, hash);
        return at == 0 ? 0 : node(owner, at);
    }

    std::size_t size() const {
        std::size_t sum = 0;
        for (const Store& store : stores_) sum += store.size();
        return sum;
    }
    // One word per node for the present analysis.
    std::uint32_t& note(Node node) { return stores_[owner(node)].note(position(node)); }

    // Numbers all nodes from 0; the notes then hold numbers. An excluded node has none.
    static constexpr std::uint32_t no_number = 0xFFFFFFFF;
    std::size_t number_all() {
        std::uint32_t count = 0;
        for_each_node([&](Node node) { note(node) = count++; });
        return count;
    }

    // The number of steps on the shortest way to a node. The search closes one level after the other.
    void close_level() {
        for (unsigned i = 0; i < owners(); ++i) level_ends_[i].push_back(stores_[i].end());
    }
    std::size_t depth(Node node) const {
        const auto& ends = level_ends_[owner(node)];
        return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), position(node)) -
                                        ends.begin());
    }
    void write(CheckpointWriter& out) const {
        for (unsigned i = 0; i < owners(); ++i) {
            stores_[i].write(out);
            out.number(level_ends_[i].size());
            for (const Position end : level_ends_[i]) out.number(end);
        }
    }
    void read(CheckpointReader& in) {
        for (unsigned i = 0; i < owners(); ++i) {
            stores_[i].read(in);
            level_ends_[i].resize(in.number());
            for (Position& end : level_ends_[i]) end = static_cast<Position>(in.number());
        }
    }

    template <class F>
    void for_each_node(F&& f) const {
        for (unsigned owner = 0; owner < owners(); ++owner) {
            const Store& store = stores_[owner];
            for (Position at = store.first(); at != store.end(); at = store.next(at)) f(node(owner, at));
        }
    }

    // True if properties must hold in this world: with arbitrary starts, only in legitimate worlds.
    bool binding(const walk::World& world) const { return !from_anywhere_ || machine_.legal(world); }
    // True if a step with this report is an edge: a run continues unless it violated a binding property.
    bool goes_on(const walk::World& before, const Report& report) const {
        return report.clean() || (!report.has(world::assertion.name) && !binding(before));
    }

    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const Store& store : stores_) sum += store.bytes();
        return sum;
    }
    walk::Machine& machine() const { return machine_; }

private:
    walk::Machine& machine_;
    StoreKind kind_;
    bool from_anywhere_;
    std::vector<Store> stores_;
    std::vector<std::vector<Position>> level_ends_;
};

}  // namespace allot::check
