// record TESTS: writes what this version sends and keeps into TESTS/fuzz/corpus and TESTS/recorded/state.
// tests/recorded/README.md says when.

#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "support/samples.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: record TESTS, as in record tests\n");
        return 2;
    }
    const std::filesystem::path tests(argv[1]);
    for (const allot::test::Sample& sample : allot::test::samples()) {
        const auto folder = tests / "fuzz/corpus" / sample.folder;
        std::filesystem::create_directories(folder);
        std::ofstream(folder / sample.name, std::ios::binary) << sample.bytes;
    }
    const auto state = tests / "recorded/state";
    std::filesystem::remove_all(state);
    const std::string why = allot::test::write_state(state.string());
    for (const char* lock : {"lock", "register.lock"}) std::filesystem::remove(state / lock);
    if (!why.empty()) fmt::print(stderr, "{}\n", why);
    return why.empty() ? 0 : 1;
}
