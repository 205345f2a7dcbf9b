#include "daemon/migration.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include "base/duration.hpp"
#include "base/whole_file.hpp"
#include "daemon/toml_text.hpp"

namespace allot::daemon {

using std::chrono::milliseconds;

// --- Names.

namespace {

std::string path_of(std::string_view table, std::string_view key) {
    return table.empty() ? std::string(key) : fmt::format("{}.{}", table, key);
}

}  // namespace

std::string Successor::former() const {
    const std::string path = path_of(former_table, former_key);
    if (!is_table) return path;
    return former_key == "mode" ? "[[" + path + "]]" : "[" + path + "]";
}

std::string Successor::name() const {
    const std::string path = path_of(table, key);
    if (!is_table) return path;
    return former_key == "mode" ? "[[" + path + "]]" : "[" + path + "]";
}

std::string Successor::what_to_do() const {
    return table.empty() ? std::string(advice) : "write " + name();
}

namespace {

// --- Lines.

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char one : text) {
        if (one == '\n')
            lines.emplace_back();
        else
            lines.back() += one;
    }
    return lines;
}

std::string indent_of(const std::string& line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

// The parser counts characters, and a character has one or more bytes.
std::size_t byte_of(const std::string& line, std::size_t column) {
    std::size_t place = 0;
    for (std::size_t passed = 1; passed < column && place < line.size(); ++passed) do
            ++place;
        while (place < line.size() && (static_cast<unsigned char>(line[place]) & 0xC0) == 0x80);
    return place;
}

std::size_t first_line(const toml::node& node) {
    return node.source().begin.line - 1;
}

std::size_t last_line(const toml::node& node) {
    return node.source().end.line - 1;
}

// Works on lines: a setting outside of braces has its lines for itself.
class Rewriter {
public:
    Rewriter(const toml::table& file, const std::string& text, const std::string& path)
        : file_(file), path_(path), old_(split(text)) {
        for (std::size_t line = 0; line < old_.size(); ++line) new_.push_back({{old_[line], line}});
    }

    Result<Migration> run() {
        if (auto why = unknown_detector()) return Error{std::move(*why)};
        for (const Successor& successor : successors) note_presence(successor);
        choose_homes();
        for (const Successor& successor : successors)
            if (const toml::node* node = successor.found_in(file_))
                if (auto why = replace(successor, *node)) return Error{std::move(*why)};
        add_grace();
        for (const char* table : former_tables) drop_header(table);
        if (auto why = insert()) return Error{std::move(*why)};
        std::ranges::stable_sort(changes_, {}, &Line::origin);
        Migration result{joined(), {}};
        for (const Line& change : changes_) result.changes.push_back(change.text);
        const auto config =
            parse_config(result.text, path_, [this](std::size_t line) { return former_line(line); });
        if (!config) return Error{config.error()};
        return result;
    }

private:
    using Lines = std::vector<std::string>;
    struct Line {
        std::string text;
        std::size_t origin;  // the old line that it comes from
    };
    static constexpr const char* former_tables[]{"register", "locks", "cluster", "detector"};

    std::string at(std::size_t line, const std::string& what) const {
        return fmt::format("{}:{}: {}", path_, line + 1, what);
    }

    void note(std::size_t line, const std::string& change) { changes_.push_back({at(line, change), line}); }

    std::string joined() const {
        Lines lines;
        for (const auto& some : new_)
            for (const Line& one : some) lines.push_back(one.text);
        return fmt::format("{}", fmt::join(lines, "\n"));
    }

    // The line in the file of the user that a line of the new text comes from.
    std::size_t former_line(std::size_t line) const {
        std::vector<std::size_t> origins;
        for (const auto& some : new_)
            for (const Line& one : some) origins.push_back(one.origin);
        return line <= origins.size() ? origins[line - 1] + 1 : line;
    }

    std::optional<std::string> unknown_detector() const {
        const toml::node* node = file_.get("detector");
        if (node == nullptr) return std::nullopt;
        if (!node->is_table()) return at(first_line(*node), "detector: write a table, as in [detector]");
        for (const auto& [key, value] : *node->as_table()) {
            const auto is_it = [name = key.str()](const Successor& one) {
                return one.former_table == "detector" && one.former_key == name;
            };
            if (std::ranges::none_of(successors, is_it))
                return at(first_line(value),
                          fmt::format("detector.{}: no version had such a setting; remove it", key.str()));
        }
        return std::nullopt;
    }

    bool begins_with_bracket(std::size_t line) const {
        return old_[line].substr(indent_of(old_[line]).size()).starts_with('[');
    }

    // Whether the node is written as [table] or [[table]].
    bool has_header(const toml::node& node) const {
        if (const toml::table* table = node.as_table())
            return !table->is_inline() && begins_with_bracket(first_line(*table));
        const toml::array* list = node.as_array();
        return list != nullptr && !list->empty() && list->is_array_of_tables() && has_header(*list->get(0));
    }

    const toml::table* table_named(std::string_view name) const {
        const toml::node* node = file_.get(name);
        return node != nullptr ? node->as_table() : nullptr;
    }

    // --- Tables whose settings move.

    void note_presence(const Successor& successor) {
        if (successor.table.empty()) return;
        if (file_[successor.table][successor.key]) taken_.insert(path_of(successor.table, successor.key));
    }

    static bool moves(const std::string_view table, const std::string_view key) {
        return std::ranges::any_of(successors, [&](const Successor& one) {
            return one.former_table == table && one.former_key == key;
        });
    }

    // Nothing stays in it. A table that is only there because of [cluster.hosts] has no line of its own.
    bool goes(std::string_view name) const {
        const toml::table* table = table_named(name);
        if (table == nullptr) return false;
        for (const auto& [key, value] : *table)
            if (!moves(name, key.str())) return false;
        return true;
    }

    std::optional<std::size_t> own_header(std::string_view name) const {
        const toml::table* table = table_named(name);
        if (table == nullptr || !has_header(*table)) return std::nullopt;
        const std::size_t line = first_line(*table);
        for (const auto& [key, value] : *table)
            if (has_header(value) && first_line(value) <= line) return std::nullopt;
        return line;
    }

    // A table that goes becomes the first table that is new, with the comments there.
    void choose_homes() {
        for (const char* name : former_tables)
            for (const Successor& one : successors) {
                const bool is_plain = one.former_table == name && !one.table.empty();
                const toml::node* node = is_plain ? one.found_in(file_) : nullptr;
                const std::string target(one.table);
                if (node == nullptr || has_header(*node) || !goes(name) || !own_header(name)) continue;
                if (homes_.contains(name) || file_.contains(target) || home_of(target)) continue;
                homes_[name] = target;
            }
    }

    // The line of the former table that becomes this one.
    std::optional<std::size_t> home_of(std::string_view table) const {
        for (const auto& [former, home] : homes_)
            if (home == table) return own_header(former);
        return std::nullopt;
    }

    void drop_header(const std::string& name) {
        const toml::table* table = table_named(name);
        if (table == nullptr || !goes(name)) return;
        const bool is_gone = name == "detector" || name == "locks";
        if (table->empty() && !is_gone) return;
        if (table->empty()) note(first_line(*table), name + " is dropped: it is empty");
        if (table->empty() && table->is_inline()) erase(*table);
        const auto header = own_header(name);
        if (!header) return;
        if (homes_.contains(name))
            new_[*header].front().text = new_header(*table, "[" + homes_[name] + "]");
        else
            new_[*header].clear();
    }

    // --- One setting or table.

    std::optional<std::string> replace(const Successor& successor, const toml::node& node) {
        const std::size_t line = first_line(node);
        const auto drop = [&](const std::string& why) {
            erase(node);
            note(line, fmt::format("{} is dropped: {}", successor.former(), why));
            return std::nullopt;
        };
        if (successor.table.empty()) return drop(std::string(successor.advice));
        const std::string name = path_of(successor.table, successor.key);
        if (!taken_.insert(name).second) {
            if (!successor.is_table) return drop(name + " is there already");
            return at(line, fmt::format("{}: {} is there already; keep one of them", successor.former(),
                                        successor.name()));
        }
        if (successor.former_table == "detector") return replace_time(successor, node);
        if (auto why = wrong_form(successor, node)) return why;
        note(line,
             fmt::format("{} becomes {}{}", successor.former(), successor.name(), remark_on(successor)));
        const toml::table* const table = node.as_table();
        if (has_header(node))
            rename(node, name);
        else if (table != nullptr && !table->is_inline())
            move_each(*table, name);
        else
            move(successor.former_table, successor.table, successor.key, node, value_text(node));
        return std::nullopt;
    }

    static std::string remark_on(const Successor& successor) {
        return successor.former_key == "hosts"
                   ? "; if this host reaches others by ways of its own, name them in [addresses]"
                   : "";
    }

    // A setting in braces cannot be taken out without the others.
    std::optional<std::string> wrong_form(const Successor& successor, const toml::node& node) const {
        const toml::table* table = table_named(successor.former_table);
        const std::string name(successor.former_table);
        if (table != nullptr && table->is_inline() && !goes(name))
            return at(first_line(node),
                      fmt::format("{0}: write it as a table, [{0}], so that settings can be moved", name));
        const toml::table* dotted = node.as_table();
        if (dotted == nullptr || dotted->is_inline() || has_header(node)) return std::nullopt;
        for (const auto& [key, value] : *dotted)
            if (value.is_table() && !value.as_table()->is_inline())
                return at(first_line(value), fmt::format("{}.{}: write it as a table",
                                                         path_of(name, successor.former_key), key.str()));
        return std::nullopt;
    }

    std::optional<std::string> replace_time(const Successor& successor, const toml::node& node) {
        const std::size_t line = first_line(node);
        const auto text = node.value_exact<std::string>();
        const auto time = text ? parse_duration(*text) : std::nullopt;
        if (!time) return at(line, successor.former() + ": write a time, as in \"250ms\" or \"5s\"");
        const bool is_short = *time < successor.least;
        const std::string chosen = is_short ? fmt::format("{}ms", successor.least.count()) : *text;
        if (successor.key == "lease")
            lease_ = is_short ? successor.least : std::chrono::round<milliseconds>(*time);
        note(line, fmt::format("{} becomes {} = \"{}\"{}", successor.former(), successor.name(), chosen,
                               is_short ? ", the least that is possible" : ""));
        move(successor.former_table, successor.table, successor.key, node, "\"" + chosen + "\"");
        return std::nullopt;
    }

    // The lines of the value, as they are.
    std::string value_text(const toml::node& node) const {
        const auto& source = node.source();
        std::string text;
        for (std::size_t line = first_line(node); line <= last_line(node); ++line) {
            const std::size_t begin = line == first_line(node) ? byte_of(old_[line], source.begin.column) : 0;
            const std::size_t end =
                line == last_line(node) ? byte_of(old_[line], source.end.column) : old_[line].size();
            text += (text.empty() ? "" : "\n") + old_[line].substr(begin, end - begin);
        }
        return text;
    }

    void move(std::string_view former_table, std::string_view table, std::string_view key,
              const toml::node& node, const std::string& value) {
        const std::size_t line = first_line(node);
        const toml::table* const from = table_named(former_table);
        const bool in_braces = from != nullptr && from->is_inline();
        const std::string comment =
            in_braces
                ? ""
                : old_[last_line(node)].substr(byte_of(old_[last_line(node)], node.source().end.column));
        const std::string setting = fmt::format("{} = {}{}", toml_key(key), value, comment);
        erase(node);
        const auto home = homes_.find(std::string(former_table));
        if (home != homes_.end() && home->second == table && !in_braces)
            new_[line] = lines_of(indent_of(old_[line]) + setting, line);
        else
            for (Line& one : lines_of(setting, line)) added_[std::string(table)].push_back(std::move(one));
    }

    static std::vector<Line> lines_of(const std::string& text, std::size_t origin) {
        std::vector<Line> all;
        for (const std::string& line : split(text)) all.push_back({line, origin});
        return all;
    }

    // Settings that are written as semaphores.builds = 2.
    void move_each(const toml::table& table, const std::string& name) {
        for (const auto& [key, value] : table) move("", name, key.str(), value, value_text(value));
    }

    std::string new_header(const toml::node& table, const std::string& header) const {
        const std::string& line = old_[first_line(table)];
        return indent_of(line) + header + line.substr(byte_of(line, table.source().end.column));
    }

    // Tables below it have names that begin with its name.
    void rename(const toml::node& node, const std::string& name) {
        if (const toml::array* list = node.as_array()) {
            for (const toml::node& one : *list)
                new_[first_line(one)].front().text = new_header(one, "[[" + name + "]]");
            return;
        }
        new_[first_line(node)].front().text = new_header(node, "[" + name + "]");
        for (const auto& [key, value] : *node.as_table())
            if (value.is_table() && has_header(value)) rename(value, name + "." + toml_key(key.str()));
    }

    void erase(const toml::node& value) {
        for (std::size_t line = first_line(value); line <= last_line(value); ++line) new_[line].clear();
    }

    // The usual grace is too long for a short lease.
    void add_grace() {
        if (!lease_ || Register().grace * 2 <= *lease_ || taken_.contains("bootstrap.grace")) return;
        const std::string setting = fmt::format("grace = \"{}ms\"", lease_->count() / 2);
        if (const auto home = home_of("bootstrap"))
            new_[*home].push_back({setting, *home});
        else
            added_["bootstrap"].push_back({setting, 0});
        changes_.push_back(
            {fmt::format("{}: bootstrap.{} is new: at most half of a lease", path_, setting), old_.size()});
    }

    // --- Into tables that are there, or as new ones after the last line of the table that they come from.

    std::optional<std::string> insert() {
        for (const auto& [name, settings] : added_) {
            const toml::node* node = file_.get(name);
            const auto home = home_of(name);
            const auto header = own_header(name);
            if (node != nullptr && !header)
                return at(
                    first_line(*node),
                    fmt::format("{0}: write it as a table, [{0}], so that settings can be added", name));
            if (home || header)
                append(home ? *home : *header, settings);
            else
                append_table(name, settings);
        }
        return std::nullopt;
    }

    void append(std::size_t line, const std::vector<Line>& settings) {
        new_[line].insert(new_[line].end(), settings.begin(), settings.end());
    }

    // Without a table to follow it comes last.
    void append_table(const std::string& name, const std::vector<Line>& settings) {
        const auto place = place_of_new_table(settings.front().origin);
        const std::size_t line = place.value_or(new_.size() - 1);
        std::vector<Line>& here = new_[line];
        if (!(here.size() == 1 && here.front().text.empty())) here.push_back({"", line});
        here.push_back({"[" + name + "]", line});
        append(line, settings);
        const bool is_followed = line + 1 < new_.size() && !old_[line + 1].empty();
        if (!place || is_followed) here.push_back({"", line});
    }

    // The last line of the settings of the table with this line.
    std::optional<std::size_t> place_of_new_table(std::size_t line) const {
        for (const char* name : former_tables) {
            const auto header = own_header(name);
            if (!header || *header > line) continue;
            std::size_t last = *header;
            for (const auto& [key, value] : *table_named(name))
                if (!has_header(value)) last = std::max(last, last_line(value));
            if (line <= last) return last;
        }
        return std::nullopt;
    }

    const toml::table& file_;
    const std::string& path_;
    const Lines old_;
    std::vector<std::vector<Line>> new_;        // what each old line becomes
    std::map<std::string, std::string> homes_;  // the tables that former tables become
    std::set<std::string> taken_;               // names of settings that are there
    std::optional<milliseconds> lease_;         // if it is new
    std::map<std::string, std::vector<Line>> added_;
    std::vector<Line> changes_;
};

// A second name for the file, which is replaced afterwards. link() never takes a name that is in use.
Result<std::string> keep(const std::string& file) {
    for (std::uint32_t number = 1;; ++number) {
        std::string copy = file + ".before-migration";
        if (number > 1) copy += fmt::format("-{}", number);
        if (::link(file.c_str(), copy.c_str()) == 0) return copy;
        if (errno != EEXIST)
            return Error{fmt::format("{}: it cannot be kept: {}", copy, std::strerror(errno))};
    }
}

}  // namespace

Result<Migration> migrate_config(const std::string& text, const std::string& path) {
    try {
        const toml::table table = toml::parse(text, path);
        return Rewriter(table, text, path).run();
    } catch (const toml::parse_error& error) {
        return Error{fmt::format("{}:{}: {}", path, error.source().begin.line, error.description())};
    }
}

Result<Migration> migrate_file(const std::string& path, std::string& copy) {
    const auto text = config_text(path);
    if (!text) return Error{text.error()};
    auto migration = migrate_config(*text, path);
    if (!migration || migration->changes.empty()) return migration;
    std::error_code unknown;
    const std::string target = std::filesystem::canonical(path, unknown).string();
    struct stat former {};
    if (unknown || ::stat(target.c_str(), &former) != 0) return Error{path + ": this file is gone"};
    auto file = WholeFile::open(target);
    if (!file) return Error{file.error()};
    auto kept = keep(target);
    if (!kept) return Error{kept.error()};
    copy = std::move(*kept);
    file->stream() << migration->text;
    if (auto failure = file->commit()) {
        ::unlink(copy.c_str());
        return Error{std::move(*failure)};
    }
    if (::chown(target.c_str(), former.st_uid, former.st_gid) != 0)
        return Error{fmt::format("{}: it is rewritten, but its owner is not what it was: {}", path,
                                 std::strerror(errno))};
    return migration;
}

}  // namespace allot::daemon
