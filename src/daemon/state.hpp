// The files of a daemon. While it runs, a mark with its incarnation: a daemon that finds the mark at its
// start was not stopped in order and has lost its state. After an orderly stop, the whole state instead.
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
    std::uint64_t agreement = 0;
    std::uint32_t incarnation = 0;
    std::string vigil;
    std::string links;
    std::string desk;
    std::string sessions;
};
BOOST_DESCRIBE_STRUCT(SavedState, (), (agreement, incarnation, vigil, links, desk, sessions))

struct Beginning {
    std::uint32_t incarnation = 0;
    std::uint32_t life = 0;
    bool after_a_crash = false;
    bool holders_may_live = false;       // leases of an earlier process are unknown, but may be in use
    std::uint32_t epoch = 0;             // number of fresh starts of the locks; the high part of fences
    std::vector<std::uint32_t> refused;  // number of refused incarnations of each host; see Vigil
    bool forgetful = false;              // there may have been more
    std::optional<SavedState> saved;
};

class StateFolder {
public:
    explicit StateFolder(std::string path) : path_(std::move(path)) {}

    // Makes the folder if necessary, locks it against a second daemon, and reads its content. `fresh`:
    // ignores the content, in a later epoch.
    Result<Beginning> open(std::uint64_t agreement, bool fresh);
    // The daemon runs from now on, and the saved state is outdated.
    Result<bool> begin();
    // A new seat incarnation has begun: the next one must have a higher number.
    void note_life(std::uint32_t life);
    // Others have met this incarnation, but its state is lost: the next must have a higher number.
    void note_loss(std::uint32_t incarnation);
    // Incarnations of other hosts that this host refuses. True if that is on the disk.
    bool note_refused(const std::vector<std::uint32_t>& lives, bool forgetful);
    // This epoch has given out fences: the next one must have a higher number.
    void note_epoch(std::uint32_t epoch);
    Result<bool> save(const SavedState& state);
    // Whether the disk has room for this state.
    Result<bool> rehearse(const SavedState& state) const;

    // Why the last note is not on the disk; empty if it is. The daemon retries once a second.
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
    void go_on_from(const Mark& before, Beginning& beginning);
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
