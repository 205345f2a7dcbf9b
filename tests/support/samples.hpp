// Values of every kind that this version sends or keeps, as bytes. tests/recorded/README.md says what for.
#pragma once

#include <string>
#include <vector>

#include "daemon/council_file.hpp"
#include "daemon/host_folder.hpp"
#include "durable/certificate.hpp"

namespace allot::test {

struct Sample {
    std::string folder;  // the fuzz target that begins with it
    std::string name;
    std::string bytes;
};
std::vector<Sample> samples();

// The files of a state folder and of a register, with these values.
struct State {
    daemon::HostFolder::Memory memory;
    std::vector<std::string> voters;
    agreement::Settings settings;
    std::string key;  // of receipts
    agreement::Council::Files council;
    agreement::Value value;  // in the file `register`
    durable::Certificate certificate;
};
State sample_state();
// Written by the code that the daemon uses; the error, if there is one.
std::string write_state(const std::string& folder);

}  // namespace allot::test
