// What a daemon keeps on disk. While it runs, a mark that says in which incarnation: who finds it there was
// not stopped in order, and has lost what it knew. When it is stopped in order, all that it knows instead.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/boot_clock.hpp"
#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace allot::daemon {

struct SavedState {
    std::uint32_t version = 5;
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
    bool holders_may_live = false;       // what was given out before is not known any more, but may be in use
    std::uint32_t epoch = 0;             // how often locks were given out anew; fences begin with it
    std::vector<std::uint32_t> refused;  // so many lives of each host; see Vigil
    bool forgetful = false;              // there may have been more
    std::optional<SavedState> saved;
};

class StateFolder {
public:
    explicit StateFolder(std::string path) : path_(std::move(path)) {}

    // Makes the folder if need be, takes possession of it (no second daemon may), and reads what is there.
    // `fresh`: as if nothing were there, but in a later epoch.
    Result<Beginning> open(std::uint64_t agreement, bool fresh);
    // From now on this is a running daemon, and what was saved is out of date.
    Result<bool> begin();
    // A new life has begun: the next one must have a higher number.
    void note_life(std::uint32_t life);
    // Others have met this one, but what it knew is lost: the next must have a higher number.
    void note_loss(std::uint32_t incarnation);
    // Lives of other hosts that are refused, until that is forgotten with everything else. Whether it is on
    // the disk.
    bool note_refused(const std::vector<std::uint32_t>& lives, bool forgetful);
    // Fences of this epoch are given out: the next one must have a higher number.
    void note_epoch(std::uint32_t epoch);
    Result<bool> save(const SavedState& state);
    // Whether there is room for that.
    Result<bool> rehearse(const SavedState& state) const;

    // Why what was noted is not on the disk; empty if it is. It is tried again once a second.
    const std::string& problem() const { return problem_; }
    void try_again();

private:
    struct Mark {
        std::uint32_t incarnation = 0;
        std::uint32_t life = 0;
        std::uint32_t epoch = 0;
        std::vector<std::uint32_t> refused;
        bool forgetful = false;
        BOOST_DESCRIBE_CLASS(Mark, (), (incarnation, life, epoch, refused, forgetful), (), ())
    };
    Beginning begin_anew(const std::optional<Mark>& before);
    std::string file(const char* name) const { return path_ + "/" + name; }
    Result<bool> write_mark();
    bool note();

    std::string path_;
    Mark mark_;
    Descriptor lock_;
    bool running_ = false;
    std::string problem_;
    BootClock::time_point next_try_;
};

}  // namespace allot::daemon
