// The command line: its subcommands, and the arguments that each takes.
//
//     CommandLine line("Hands out shared resources.", "allot 1.0", "Example: allot cert --dir certs db1");
//     Command& command = line.command("cert", "Makes certificates");
//     command.option("--dir", folder, "Where they are put").required();
//     command.action([&] { return make_certificates(folder); });
//     return line.run(argc, argv);
//
// A target must live until run() returns; mostly the action of its command owns it. CLI11 does the work. It
// takes seconds to compile, so flags.cpp alone includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace allot::cli {

// An argument of a subcommand: an option with a value (--sites 3), a flag (--json) or a word (a protocol).
// It stays valid as long as its command line.
class Argument {
public:
    Argument required() const;
    // The heading under which --help lists it.
    Argument group(const std::string& heading) const;
    // Neither --help nor a hint at a misspelt flag mentions it.
    Argument aside() const;
    // The text of --help, in place of the one that it was made with.
    Argument meaning(const std::string& text) const;
    // How --help names its value: FILE in `--config FILE`.
    Argument value(const std::string& name) const;
    // Everything that --help shows after the name, in place of the value, the default and the constraints.
    Argument shown_as(const std::string& text) const;

    // The value may be missing; the target is then empty.
    Argument value_optional() const;
    // The option may be given several times; any other is an error the second time.
    Argument repeatable() const;
    // The option takes one value each time, not all words up to the next option.
    Argument one_at_a_time() const;
    // `objection` returns what is wrong with a value; empty if nothing is.
    Argument check(std::string (*objection)(const std::string& value)) const;

    Argument needs(Argument other) const;
    Argument excludes(Argument other) const;

private:
    friend class Command;
    explicit Argument(CLI::Option* option) : option_(option) {}

    CLI::Option* option_;
};

class Command {
public:
    using Take = std::function<void(const std::string& value)>;

    // An option if its name begins with --, else a positional word. A list takes all words up to the next
    // option and may be repeated. --help shows the initial value of a number as its default.
    Argument option(const std::string& name, std::string& target, const std::string& meaning);
    Argument option(const std::string& name, std::optional<std::string>& target, const std::string& meaning);
    Argument option(const std::string& name, std::vector<std::string>& target, const std::string& meaning);
    Argument option(const std::string& name, int& target, const std::string& meaning);
    Argument option(const std::string& name, std::uint32_t& target, const std::string& meaning);
    Argument option(const std::string& name, Take take, const std::string& meaning);

    Argument flag(const std::string& name, bool& target, const std::string& meaning);
    Argument flag(const std::string& name, std::function<void()> given, const std::string& meaning);

    // Sees all words of the command before they are read, and may change the arguments to fit them.
    void before_reading(std::function<void(const std::vector<std::string>& words)> look);
    // `objection` returns what is wrong with the words that stand beside --help; empty if nothing is.
    void before_help(std::function<std::string()> objection);
    // Keeps words that no argument takes; without this they are an error, as unknown flags always are.
    void strays(std::vector<std::string>& target);
    // The last lines of --help.
    void footer(const std::string& text);
    // Its result is the exit code.
    void action(std::function<int()> action);

private:
    friend class CommandLine;
    explicit Command(CLI::App* parser) : parser_(parser) {}
    // An option that is an error if it is given twice.
    static Argument single(CLI::Option* option);
    int run() const;

    CLI::App* parser_;
    std::function<void(const std::vector<std::string>&)> look_;
    std::function<std::string()> objection_;
    std::vector<std::string>* strays_ = nullptr;
    std::function<int()> action_;
};

class CommandLine {
public:
    // --version prints `version`; `footer` is the end of --help.
    CommandLine(const std::string& description, const std::string& version, const std::string& footer);
    ~CommandLine();

    // The reference stays valid as long as the command line.
    Command& command(const std::string& name, const std::string& description);

    // Runs the action of the command that the arguments choose, and gives its exit code. --help and --version
    // give exit_ok. `help COMMAND...` is `COMMAND... --help`. An error prints one line and gives exit_usage.
    int run(int argc, char** argv);

private:
    int read(const std::vector<std::string>& words);
    int run_chosen() const;
    int show_help(const Command* named, std::vector<std::string> words);
    Command* find(const std::string& name) const;

    std::unique_ptr<CLI::App> parser_;
    std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace allot::cli
