#include "cli/flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <span>
#include <string_view>

#include "cli/commands.hpp"
#include "core/parameters.hpp"

namespace allot::cli {

// --- Arguments.

Argument Argument::required() const {
    option_->required();
    return *this;
}

Argument Argument::group(const std::string& heading) const {
    option_->group(heading);
    return *this;
}

Argument Argument::value(const std::string& name) const {
    option_->type_name(name);
    return *this;
}

Argument Argument::shown_as(const std::string& text) const {
    option_->option_text(text);
    return *this;
}

Argument Argument::value_optional() const {
    option_->expected(0, 1);
    return *this;
}

Argument Argument::one_at_a_time() const {
    option_->allow_extra_args(false);
    return *this;
}

Argument Argument::separated_by(char separator) const {
    option_->delimiter(separator);
    return *this;
}

Argument Argument::check(std::string (*objection)(const std::string& value)) const {
    option_->check(objection);
    return *this;
}

Argument Argument::needs(Argument other) const {
    option_->needs(other.option_);
    return *this;
}

Argument Argument::excludes(Argument other) const {
    option_->excludes(other.option_);
    return *this;
}

// --- Commands.

Argument Command::option(const std::string& name, std::string& target, const std::string& meaning) {
    return Argument(parser_->add_option(name, target, meaning)).value("");
}

Argument Command::option(const std::string& name, std::optional<std::string>& target,
                         const std::string& meaning) {
    // CLI11 would reset the target if the value is missing, as if the option were not given.
    return option(
        name, [&target](const std::string& value) { target = value; }, meaning);
}

Argument Command::option(const std::string& name, std::vector<std::string>& target,
                         const std::string& meaning) {
    return Argument(parser_->add_option(name, target, meaning)).value("");
}

Argument Command::option(const std::string& name, int& target, const std::string& meaning) {
    return Argument(parser_->add_option(name, target, meaning)->capture_default_str());
}

Argument Command::option(const std::string& name, std::uint32_t& target, const std::string& meaning) {
    return Argument(parser_->add_option(name, target, meaning)->capture_default_str());
}

Argument Command::option(const std::string& name, const Take& take, const std::string& meaning) {
    return Argument(parser_->add_option_function<std::string>(name, take, meaning)).value("");
}

Argument Command::list(const std::string& name, Take take, const std::string& meaning) {
    const auto take_all = [take = std::move(take)](const std::vector<std::string>& values) {
        for (const std::string& value : values) take(value);
    };
    CLI::Option* option = parser_->add_option_function<std::vector<std::string>>(name, take_all, meaning);
    option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return Argument(option).value("");
}

Argument Command::flag(const std::string& name, bool& target, const std::string& meaning) {
    return Argument(parser_->add_flag(name, target, meaning));
}

Argument Command::flag(const std::string& name, std::function<void()> given, const std::string& meaning) {
    return Argument(parser_->add_flag_callback(name, std::move(given), meaning));
}

void Command::strays(std::vector<std::string>& target) {
    parser_->allow_extras();
    strays_ = &target;
}

void Command::footer(const std::string& text) {
    parser_->footer(text);
}

void Command::action(std::function<int()> action) {
    action_ = std::move(action);
}

int Command::run() const {
    if (strays_ != nullptr) *strays_ = parser_->remaining();
    return action_();
}

// --- Errors.

namespace {

// The first word that no argument takes.
std::string unexpected(const CLI::App& parser, std::span<char*> words) {
    const std::vector<std::string> left = parser.remaining(true);
    const auto is_left = [&](const char* word) { return std::ranges::count(left, word) > 0; };
    const auto first = std::ranges::find_if(words, is_left);
    return first == words.end() ? "" : *first;
}

// CLI11's messages name the flag; this adds what to do.
int explain(const CLI::App& parser, const CLI::ParseError& error, std::span<char*> words) {
    const std::string first_word = words.empty() ? "" : words.front();
    std::vector<std::string> commands;
    for (const CLI::App* command : parser.get_subcommands({})) commands.push_back(command->get_name());
    const bool known = std::ranges::find(commands, first_word) != commands.end();
    if (!known && !first_word.empty() && !first_word.starts_with('-'))
        return wrong_usage(first_word + ": no such command; there is " + listed(commands));
    const auto chosen = parser.get_subcommands();
    const std::string help =
        program_name() + " " + (chosen.empty() ? "" : chosen.front()->get_name() + " ") + "--help";
    std::string what = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
        what = unexpected(parser, words) + ": not expected here";
    if (what.ends_with(" missing"))  // as in "--sites: 1 required  missing"
        what = what.substr(0, what.find(':')) + ": its value is missing; write one after it";
    if (const auto end = what.find('\n'); end != std::string::npos) what.resize(end);
    return wrong_usage(what + "; see `" + help + "`");
}

// An empty value usually comes from an unset variable; reading it as "none" would be a trap.
std::string option_with_empty_value(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options())
        for (const std::string& value : option->results())
            if (value.empty() && option->get_expected_min() > 0) return option->get_name();
    return "";
}

}  // namespace

// --- The command line.

CommandLine::CommandLine(const std::string& description, const std::string& version,
                         const std::string& footer)
    : parser_(std::make_unique<CLI::App>(description, program_name())) {
    parser_->set_version_flag("--version", version);
    parser_->require_subcommand(1);
    parser_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command& CommandLine::command(const std::string& name, const std::string& description) {
    commands_.push_back(std::unique_ptr<Command>(new Command(parser_->add_subcommand(name, description))));
    return *commands_.back();
}

int CommandLine::run(int argc, char** argv) {
    try {
        parser_->parse(argc, argv);
    } catch (const CLI::Success& done) {
        return parser_->exit(done);
    } catch (const CLI::ParseError& error) {
        return explain(*parser_, error, {argv + 1, argv + argc});
    }
    const CLI::App* chosen = parser_->get_subcommands().front();
    if (const std::string name = option_with_empty_value(*chosen); !name.empty())
        return wrong_usage(name + " \"\": the value is empty; write one, or leave the flag out");
    const auto command = std::ranges::find(commands_, chosen, [](const auto& one) { return one->parser_; });
    return (*command)->run();
}

}  // namespace allot::cli
