// allot new: writes a folder with a working protocol, as a start for your own.

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <set>
#include <unistd.h>

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

// A class of this name would hide a type that the protocol uses, its own or one of allot's.
bool is_type(const std::string& name) {
    const std::regex declaration("(struct|class|using) " + name + "\\b");
    return std::ranges::count(library_types(), name) > 0 ||
           std::ranges::any_of(protocol_templates(), [&](const Template& one) {
               return std::regex_search(one.text.begin(), one.text.end(), declaration);
           });
}

// CMake has targets of these names.
bool is_target(const std::string& name) {
    static const std::set<std::string> targets{"all",     "clean",   "depend",     "help",
                                               "install", "package", "preinstall", "test"};
    return targets.contains(name);
}

std::string renamed(std::string_view text, const std::string& name) {
    std::string result(text);
    boost::replace_all(result, template_name, name);
    boost::replace_all(result, file_name(template_name), file_name(name));
    boost::replace_all(result, class_name(template_name), class_name(name));
    return result;
}

bool write_files(const std::filesystem::path& folder, const std::string& name) {
    std::error_code failure;
    if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), failure);
    if (!std::filesystem::create_directory(folder, failure)) return false;
    for (const Template& one : protocol_templates()) {
        std::ofstream file(folder / renamed(one.file, name));
        file << renamed(one.text, name);
        file.close();
        if (!file) return false;
    }
    return true;
}

// The folder takes its name only when all files are there.
bool write_whole(const std::filesystem::path& folder, const std::string& name) {
    const std::filesystem::path unnamed = fmt::format("{}.{}", folder.string(), ::getpid());
    std::error_code failure;
    if (write_files(unnamed, name)) {
        std::filesystem::rename(unnamed, folder, failure);
        if (!failure) return true;
    }
    std::filesystem::remove_all(unnamed, failure);
    return false;
}

// Why no new folder can have this path.
std::optional<std::string> unusable(const std::filesystem::path& folder) {
    std::error_code failure;
    const bool exists = std::filesystem::exists(folder, failure);
    const bool unnamed = folder.filename() == "." || folder.filename() == "..";
    if (!exists && !unnamed) return std::nullopt;
    const char* reason = unnamed                                          ? "this is no name of a folder"
                         : std::filesystem::is_directory(folder, failure) ? "the folder exists"
                                                                          : "a file of this name exists";
    return fmt::format("{}: {}; name another one with --folder", folder.string(), reason);
}

// A path as a word of the shell.
std::string shell_word(const std::string& path) {
    const bool plain = std::ranges::all_of(path, [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view("/._-+@%").find(char(c)) != std::string_view::npos;
    });
    if (path.starts_with('-')) return shell_word("./" + path);  // cd would take it for a flag
    return plain ? path : "'" + boost::replace_all_copy(path, "'", "'\\''") + "'";
}

int write_protocol(const std::string& name, std::string folder) {
    if (!is_protocol_name(name))
        return wrong_usage(
            fmt::format("{}: write a name of small letters, digits and dashes, as in two-locks", name));
    if (is_target(name) || (name != template_name && is_type(class_name(name))))
        return wrong_usage(
            fmt::format("{}: CMake or allot itself has something of this name; write another", name));
    if (folder.empty()) folder = name;
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (const auto wrong = unusable(folder)) return wrong_usage(*wrong);
    if (!write_whole(folder, name))
        return failed(fmt::format("{}: cannot write this folder; name another with --folder", folder));
    fmt::print(
        "{0}/ contains a working protocol. Build and check it:\n\n"
        "    cd {3} && make\n"
        "    build/{1} check {1} --sites 3 --requests any\n\n"
        "Then change {2}.hpp and {2}.cpp; the page docs/adding-a-protocol.md of allot explains them.\n",
        folder, name, file_name(name), shell_word(folder));
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
