#include "cli/flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <unistd.h>

#include "base/did_you_mean.hpp"
#include "cli/commands.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "core/parameters.hpp"

namespace allot::cli {

// --- Arguments.

// The heading of arguments that --help leaves out. CLI11 would forget the name of an option without a
// heading, so they lose it only when --help is all there is to do.
static constexpr const char* aside_heading = "aside";

Argument Argument::aside() const {
    return group(aside_heading);
}

Argument Argument::required() const {
    option_->required();
    return *this;
}

Argument Argument::group(const std::string& heading) const {
    option_->group(heading);
    return *this;
}

Argument Argument::meaning(const std::string& text) const {
    option_->description(text);
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

Argument Argument::repeatable() const {
    option_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return *this;
}

Argument Argument::one_at_a_time() const {
    option_->allow_extra_args(false);
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

// If it is given twice, CLI11 takes the last value, and `fault_of` complains afterwards.
Argument Command::single(CLI::Option* option) {
    return Argument(option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast));
}

Argument Command::option(const std::string& name, std::string& target, const std::string& meaning) {
    return single(parser_->add_option(name, target, meaning)).value("");
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
    return single(parser_->add_option(name, target, meaning)->capture_default_str());
}

Argument Command::option(const std::string& name, std::uint32_t& target, const std::string& meaning) {
    return single(parser_->add_option(name, target, meaning)->capture_default_str());
}

Argument Command::option(const std::string& name, Take take, const std::string& meaning) {
    const auto take_all = [take = std::move(take)](const std::vector<std::string>& values) {
        for (const std::string& value : values) take(value);
        return true;
    };
    return single(parser_->add_option(name, CLI::callback_t(take_all), meaning)).value("");
}

Argument Command::flag(const std::string& name, bool& target, const std::string& meaning) {
    return Argument(parser_->add_flag(name, target, meaning));
}

Argument Command::flag(const std::string& name, std::function<void()> given, const std::string& meaning) {
    return Argument(parser_->add_flag_callback(name, std::move(given), meaning));
}

void Command::before_reading(std::function<void(const std::vector<std::string>&)> look) {
    look_ = std::move(look);
}

void Command::before_help(std::function<std::string()> objection) {
    objection_ = std::move(objection);
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

std::vector<std::string> names_of_commands(const CLI::App& parser) {
    std::vector<std::string> names;
    for (const CLI::App* command : parser.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

// The flags that a hint may mention.
std::vector<std::string> names_of_flags(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        if (option->get_group() != aside_heading)
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

// The first word that no argument takes.
std::optional<std::string> unexpected(const CLI::App& parser, const std::vector<std::string>& words) {
    const std::vector<std::string> left = parser.remaining(true);
    const auto first = std::ranges::find_if(
        words, [&](const std::string& word) { return std::ranges::count(left, word) > 0; });
    return first == words.end() ? std::nullopt : std::optional(*first);
}

std::string why_unexpected(const std::string& word, const CLI::App& command) {
    if (word.empty()) return "\"\": not expected here";
    if (!word.starts_with("--")) return word + ": not expected here";
    const std::string flag = word.substr(0, word.find('='));
    if (command.get_option_no_throw(flag) != nullptr) return flag + ": flags stand before --; leave -- out";
    return flag + ": no such flag" + did_you_mean(flag, names_of_flags(command));
}

constexpr std::string_view not_converted = "Could not convert: ";  // as in "Could not convert: --days = many"

std::string why_not_converted(const std::string& said) {
    const std::string rest = said.substr(not_converted.size());
    const std::string name = rest.substr(0, rest.find(" = "));
    return name + rest.substr(name.size() + 2) + ": write a whole number";
}

// Tells how to mend flags that are missing, or do not go together.
std::string advice(const CLI::App& command, const CLI::ParseError& error, const std::string& what) {
    if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) return "; write both, or neither";
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) return "; write one of them";
    const CLI::Option* const missing = command.get_option_no_throw(what.substr(0, what.find(' ')));
    return missing == nullptr ? "" : fmt::format(" ({})", missing->get_description());
}

// CLI11's messages name the flag; this adds what to do.
std::string explanation(const CLI::App& parser, const CLI::App& command, const CLI::ParseError& error,
                        const std::vector<std::string>& words) {
    const auto stray = unexpected(parser, words);
    const bool is_flag = stray && stray->starts_with('-');
    // A word that seems to be missing may just be misspelt.
    if (is_flag || (stray && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr))
        return why_unexpected(*stray, command);
    std::string what = error.what();
    if (what.starts_with(not_converted)) return why_not_converted(what);
    if (what.ends_with(" missing"))  // as in "--sites: 1 required  missing"
        return what.substr(0, what.find(':')) + ": its value is missing; write one after it";
    return what.substr(0, what.find('\n')) + advice(command, error, what);
}

std::string see_help(const CLI::App& command) {
    const std::string name = command.get_parent() == nullptr ? "" : command.get_name() + " ";
    return fmt::format("; see `{} {}--help`", program_name(), name);
}

int explain(const CLI::App& parser, const CLI::ParseError& error, const std::vector<std::string>& words) {
    const auto chosen = parser.get_subcommands();
    const CLI::App& command = chosen.empty() ? parser : *chosen.front();
    return wrong_usage(explanation(parser, command, error, words) + see_help(command));
}

// The fault of a word such as --json=off or --run=, which CLI11 would take.
std::string fault_of(const std::string& word, const CLI::App& command) {
    const auto equals = word.find('=');
    if (!word.starts_with("--") || equals == std::string::npos) return "";
    const std::string name = word.substr(0, equals);
    const CLI::Option* option = command.get_option_no_throw(name);
    if (option == nullptr) return "";
    if (option->get_items_expected_max() == 0) return name + ": it takes no value; write the flag alone";
    return equals + 1 == word.size() ? name + ": its value is missing; write one after the =" : "";
}

// The fault of an option that CLI11 takes; empty if there is none. An empty value usually comes
// from an unset variable; reading it as "none" would be a trap. Of two values, one would be lost.
std::string fault_of(const CLI::Option& option) {
    const bool positional = option.get_positional();
    for (const std::string& value : option.results())
        if (value.empty() && option.get_expected_min() > 0)
            return option.get_name() + " \"\": the value is empty; write one" +
                   (positional ? "" : ", or leave the flag out");
    const bool takes_many = option.get_items_expected_max() > 1 ||
                            option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    if (option.count() > 1 && !takes_many) return option.get_name() + ": it is given twice; write it once";
    return "";
}

void leave_aside(CLI::App& command) {
    for (CLI::Option* option : command.get_options())
        if (option->get_group() == aside_heading) option->group("");
}

bool asks_for_help(const std::string& word) {
    return word == "--help" || word == "-h";
}

// `help check raymond` is another way to write `check raymond --help`.
std::vector<std::string> with_help_as_flag(std::vector<std::string> words) {
    if (words.empty() || words.front() != "help") return words;
    words.erase(words.begin());
    words.emplace_back("--help");
    return words;
}

}  // namespace

// --- The command line.

namespace {

// A terminal may be narrower than the pages that we write.
std::size_t help_width() {
    constexpr std::size_t least = 60;
    const std::size_t columns = columns_of(STDOUT_FILENO);
    return columns == 0 ? line_width : std::clamp(columns, least, line_width);
}

bool is_example(const std::string& line) {
    return line.starts_with(' ') || line.starts_with("Example: ");
}

// CLI11 breaks no lines by itself; a newline in a description continues in its column.
class HelpLayout : public CLI::Formatter {
public:
    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped(option->get_description(), help_width() - get_column_width());
    }
    std::string make_description(const CLI::App* command) const override {
        const std::string text = wrapped(Formatter::make_description(command), help_width());
        return text.empty() ? text : text + '\n';
    }
    std::string make_subcommand(const CLI::App* command) const override {
        std::ostringstream line;
        CLI::detail::format_help(line, command->get_display_name(true),
                                 wrapped(command->get_description(), help_width() - get_column_width()),
                                 get_column_width());
        return line.str();
    }
    // A line of a footer is a paragraph, or an example: people copy that, so it stays in one line.
    std::string make_footer(const CLI::App* command) const override {
        std::string text;
        for (const std::string& line : split_list(Formatter::make_footer(command), '\n'))
            text += (is_example(line) ? line : wrapped(line, help_width())) + '\n';
        text.pop_back();
        return text;
    }
};

}  // namespace

CommandLine::CommandLine(const std::string& description, const std::string& version,
                         const std::string& footer)
    : parser_(std::make_unique<CLI::App>(description, program_name())) {
    parser_->set_version_flag("--version", version);
    parser_->require_subcommand(1);
    parser_->formatter(std::make_shared<HelpLayout>());
    parser_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command& CommandLine::command(const std::string& name, const std::string& description) {
    commands_.push_back(std::unique_ptr<Command>(new Command(parser_->add_subcommand(name, description))));
    return *commands_.back();
}

Command* CommandLine::find(const std::string& name) const {
    for (const auto& command : commands_)
        if (command->parser_->get_name() == name) return command.get();
    return nullptr;
}

int CommandLine::run(int argc, char** argv) {
    Command& help = command("help", "Show the flags and examples of a command");
    help.footer("Example: " + program_name() + " help " + commands_.front()->parser_->get_name());
    help.action([this] {
        fmt::print("{}", parser_->help());
        return exit_ok;
    });
    return read(with_help_as_flag({argv + 1, argv + argc}));
}

int CommandLine::read(const std::vector<std::string>& words) {
    const std::string first = words.empty() ? "" : words.front();
    const Command* named = find(first);
    if (named == nullptr && !first.empty() && !first.starts_with('-')) {
        const std::vector<std::string> known = names_of_commands(*parser_);
        return wrong_usage(first + ": no such command; there is " + listed(known) +
                           did_you_mean(first, known));
    }
    if (named != nullptr && named->look_) named->look_({words.begin() + 1, words.end()});
    const std::span flags(words.begin(), std::ranges::find(words, "--"));
    if (std::ranges::any_of(flags, asks_for_help)) return show_help(named, words);
    for (const std::string& word : flags)
        if (const std::string fault = named == nullptr ? "" : fault_of(word, *named->parser_); !fault.empty())
            return wrong_usage(fault);
    try {
        parser_->parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 takes them
    } catch (const CLI::Success& done) {
        return parser_->exit(done);
    } catch (const CLI::ParseError& error) {
        return explain(*parser_, error, words);
    }
    return run_chosen();
}

// CLI11 would ignore the words beside --help. Arguments that are missing or wrong are no error here.
int CommandLine::show_help(const Command* named, std::vector<std::string> words) {
    std::erase_if(words, asks_for_help);
    try {
        parser_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::Success& done) {
        return parser_->exit(done);
    } catch (const CLI::ParseError&) {
    }
    const CLI::App& command = named != nullptr ? *named->parser_ : *parser_;
    const bool keeps_strays = named != nullptr && named->strays_ != nullptr;
    if (const auto stray = unexpected(*parser_, words); stray && !keeps_strays)
        return wrong_usage(why_unexpected(*stray, command));
    if (named != nullptr && named->objection_)
        if (const std::string wrong = named->objection_(); !wrong.empty()) return wrong_usage(wrong);
    if (named != nullptr) leave_aside(*named->parser_);
    fmt::print("{}", parser_->help());
    return exit_ok;
}

int CommandLine::run_chosen() const {
    const CLI::App* chosen = parser_->get_subcommands().front();
    for (const CLI::Option* option : chosen->get_options())
        if (const std::string fault = fault_of(*option); !fault.empty()) return wrong_usage(fault);
    const Command& command = *find(chosen->get_name());
    const std::vector<std::string> left = chosen->remaining();
    if (command.strays_ != nullptr && !left.empty() && left.front().starts_with('-'))
        return wrong_usage(why_unexpected(left.front(), *chosen) + see_help(*chosen));
    return command.run();
}

}  // namespace allot::cli
