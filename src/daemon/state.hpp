// What a daemon keeps on disk. While it runs, a mark that says in which incarnation: who finds it there was
// not stopped in order, and has lost what it knew. When it is stopped in order, all that it knows instead.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "core/result.hpp"

namespace allot::daemon {

struct SavedState {
    std::uint32_t version = 2;
    std::uint64_t agreement = 0;
    std::uint32_t incarnation = 0;
    std::string vigil;
    std::string links;
    std::string desk;
    std::string sessions;
};
BOOST_DESCRIBE_STRUCT(SavedState, (), (version, agreement, incarnation, vigil, links, desk, sessions))

struct Beginning {
    std::uint32_t incarnation = 0;
    std::uint32_t life = 0;
    bool after_a_crash = false;
    std::optional<SavedState> saved;
};

class StateFolder {
public:
    explicit StateFolder(std::string path) : path_(std::move(path)) {}

    // Makes the folder if need be, takes possession of it (no second daemon may), and reads what is there.
    // `fresh`: as if nothing were there.
    Result<Beginning> open(std::uint64_t agreement, bool fresh);
    // From now on this is a running daemon, and what was saved is out of date.
    Result<bool> begin();
    // A new life has begun: the next one must have a higher number.
    void note_life(std::uint32_t life);
    // Others have met this one: the next must have a higher number.
    void note_incarnation(std::uint32_t incarnation);
    Result<bool> save(const SavedState& state);

private:
    struct Mark {
        std::uint32_t incarnation = 0;
        std::uint32_t life = 0;
        BOOST_DESCRIBE_CLASS(Mark, (), (incarnation, life), (), ())
    };
    std::string file(const char* name) const { return path_ + "/" + name; }
    Result<bool> write_mark();

    std::string path_;
    Mark mark_;
    int lock_ = -1;
    bool running_ = false;
};

}  // namespace allot::daemon
