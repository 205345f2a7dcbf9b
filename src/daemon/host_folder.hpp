// The state folder of a daemon: a lock against a second daemon, and the little that a host must remember. It
// says nothing about programs: the other hosts and the guardian know what they hold.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "durable/record.hpp"
#include "protocols/agreement/settings.hpp"

namespace allot::daemon {

// The error with what to do next, if that file of a state folder is damaged: the host has forgotten what it
// must not forget.
Error with_way_back(Error error, const std::string& folder, std::string_view file);

class HostFolder {
public:
    // The highest numbers that this host has used, or seen.
    struct Memory {
        std::uint32_t incarnation = 0;
        std::uint32_t view = 0;
        std::string boot;    // of the kernel under which the daemon ran last
        bool quiet = false;  // no program has run since that view, as an operator says
        bool operator==(const Memory&) const = default;
        BOOST_DESCRIBE_CLASS(Memory, (), (incarnation, view, boot, quiet), (), ())
    };

    explicit HostFolder(std::string path) : path_(std::move(path)) {}
    // The edition of what is written from now on.
    void write_in(Edition edition) { edition_ = edition; }

    // Makes the folder if necessary, locks it, and reads it. What an earlier version of allot left is set
    // aside; its fences were lower than those of the views that follow.
    Result<Memory> open();
    // Names of the hosts that form the register, if an operator has chosen some of the file's; else none.
    Result<std::vector<std::string>> voters() const;
    Result<bool> name_voters(const std::vector<std::string>& names) const;
    // The settings of the cluster that this host has seen last; none if it has seen none yet.
    Result<std::optional<agreement::Settings>> settings() const;
    Result<bool> note_settings(const agreement::Settings& settings) const;
    // Renames a file, if it is there; nothing is deleted.
    Result<bool> set_aside(const std::string& name) const;
    // On the disk when this returns.
    Result<bool> note(const Memory& memory);
    // The record that is to be written to memory_file() now; it counts as noted.
    durable::Record record_of(const Memory& memory);
    std::string memory_file() const { return path_ + "/host"; }
    const Memory& memory() const { return memory_; }
    const std::string& path() const { return path_; }

private:
    Result<bool> take_over_earlier_version();

    std::string path_;
    Edition edition_ = newest_edition;
    Memory memory_;
    std::uint64_t sequence_ = 0;
    Descriptor lock_;
};

}  // namespace allot::daemon
