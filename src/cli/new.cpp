// allot new: writes a folder with a working protocol, as a start for your own.

#include <boost/algorithm/string/replace.hpp>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/templates.hpp"

namespace allot::cli {

namespace {

// The name in the templates.
constexpr const char* template_name = "one-key";

bool is_protocol_name(const std::string& name) {
    const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    bool begins_word = true;
    for (const char c : name) {
        if (begins_word && !letter(c)) return false;
        if (!letter(c) && !digit(c) && c != '-') return false;
        begins_word = c == '-';
    }
    return !begins_word;
}

// Names of CMake's targets and of allot's own types: a protocol of such a name does not build.
bool is_taken(const std::string& name) {
    static const std::set<std::string> taken{"all",   "clean",   "context", "demand", "detection", "domain",
                                             "draw",  "effects", "event",   "fence",  "graph",     "help",
                                             "input", "install", "links",   "model",  "package",   "peer",
                                             "phase", "random",  "report",  "result", "site",      "stamp",
                                             "test",  "tree",    "type",    "view"};
    return taken.contains(name);
}

// The name as a file name and as a class name: two-locks gives two_locks and TwoLocks.
std::string file_name(std::string name) {
    boost::replace_all(name, "-", "_");
    return name;
}

std::string class_name(const std::string& name) {
    std::string made;
    bool begins_word = true;
    for (const char c : name) {
        if (c != '-') made += begins_word ? static_cast<char>(std::toupper(c)) : c;
        begins_word = c == '-';
    }
    return made;
}

std::string renamed(std::string_view text, const std::string& name) {
    std::string result(text);
    boost::replace_all(result, template_name, name);
    boost::replace_all(result, file_name(template_name), file_name(name));
    boost::replace_all(result, class_name(template_name), class_name(name));
    return result;
}

int failed(const std::string& path) {
    fmt::print(stderr, "allot: {}: cannot write this file; name another folder with --folder\n", path);
    return exit_no;
}

int write_protocol(const std::string& name, std::string folder) {
    if (!is_protocol_name(name))
        return wrong_usage(
            fmt::format("{}: write a name of small letters, digits and dashes, as in two-locks", name));
    if (is_taken(name))
        return wrong_usage(
            fmt::format("{}: CMake or allot itself has something of this name; write another", name));
    if (folder.empty()) folder = name;
    std::error_code failure;
    if (std::filesystem::exists(folder, failure))
        return wrong_usage(fmt::format("{}: the folder exists; name another one with --folder", folder));
    if (!std::filesystem::create_directories(folder, failure)) return failed(folder);
    for (const Template& one : protocol_templates()) {
        const std::string path = folder + "/" + renamed(one.file, name);
        std::ofstream file(path);
        file << renamed(one.text, name);
        file.close();
        if (!file) return failed(path);
    }
    fmt::print(
        "{0}/ contains a working protocol. Build and check it:\n\n"
        "    cd {0} && make\n"
        "    build/{1} check {1} --sites 3 --requests any\n\n"
        "Then change {2}.hpp and {2}.cpp; docs/adding-a-protocol.md explains them.\n",
        folder, name, file_name(name));
    return exit_ok;
}

struct NewFlags {
    std::string name;
    std::string folder;
};

}  // namespace

void add_new(CommandLine& line) {
    auto flags = std::make_shared<NewFlags>();
    Command& command = line.command("new", "Write a working protocol, as a project of its own");
    command.footer(
        "Example: allot new two-locks\n"
        "Exit code: 0 written, 1 a file cannot be written, 2 wrong usage.");
    command.option("name", flags->name, "Name of the protocol, as in two-locks").required();
    command.option("--folder", flags->folder, "Folder of the project; default NAME").value("FOLDER");
    command.action([flags] { return write_protocol(flags->name, flags->folder); });
}

}  // namespace allot::cli
