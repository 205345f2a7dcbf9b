#include "daemon/migration.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include "base/duration.hpp"
#include "base/whole_file.hpp"

namespace allot::daemon {

namespace {

using std::chrono::milliseconds;

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

std::size_t first_line(const toml::node& node) {
    return node.source().begin.line - 1;
}

// Works on lines: a setting outside of braces has its lines for itself.
class Rewriter {
public:
    Rewriter(const toml::table& table, const std::string& text, const std::string& path)
        : table_(table), path_(path), old_(split(text)) {
        for (const std::string& line : old_) new_.push_back({line});
    }

    Result<Migration> run() {
        if (auto why = find_detector()) return Error{std::move(*why)};
        if (auto why = wrong_rest()) return Error{std::move(*why)};
        if (detector_ == nullptr) return Migration{joined(new_), {}};
        choose_home();
        for (const Successor& successor : successors)
            if (const toml::node* value = detector_->get(successor.key))
                if (auto why = replace(successor, *value)) return Error{std::move(*why)};
        add_grace();
        drop_header();
        if (auto why = insert()) return Error{std::move(*why)};
        Migration result{joined(new_), changes_};
        if (const auto config = parse_config(result.text, path_); !config) return Error{config.error()};
        return result;
    }

private:
    using Lines = std::vector<std::string>;

    std::string at(std::size_t line, const std::string& what) const {
        return fmt::format("{}:{}: {}", path_, line + 1, what);
    }

    static std::string joined(const std::vector<Lines>& all) {
        Lines lines;
        for (const Lines& some : all) lines.insert(lines.end(), some.begin(), some.end());
        return fmt::format("{}", fmt::join(lines, "\n"));
    }

    std::optional<std::string> find_detector() {
        const toml::node* node = table_.get("detector");
        if (node == nullptr) return std::nullopt;
        detector_ = node->as_table();
        if (detector_ == nullptr) return at(first_line(*node), "detector: write a table, as in [detector]");
        for (const auto& [key, value] : *detector_) {
            const auto is_it = [name = key.str()](const Successor& one) { return one.key == name; };
            if (std::ranges::none_of(successors, is_it))
                return at(first_line(value),
                          fmt::format("detector.{}: no version had such a setting; remove it", key.str()));
        }
        if (has_header(*detector_)) header_ = first_line(*detector_);
        return std::nullopt;
    }

    bool has_header(const toml::table& table) const {
        const std::string& line = old_[first_line(table)];
        return line.substr(indent_of(line).size()).starts_with('[');
    }

    // The lines that are not about the detector must be right. They keep their numbers here.
    std::optional<std::string> wrong_rest() const {
        std::vector<Lines> rest = new_;
        const auto clear = [&](const toml::node& node) {
            for (std::size_t line = first_line(node); line < node.source().end.line; ++line)
                rest[line] = {""};
        };
        if (header_) rest[*header_] = {""};
        if (detector_ != nullptr && detector_->is_inline()) clear(*detector_);
        if (detector_ != nullptr)
            for (const auto& [key, value] : *detector_) clear(value);
        const auto config = parse_config(joined(rest), path_);
        return config ? std::nullopt : std::optional(config.error());
    }

    // The first table that is new takes the place of [detector], with the comments there.
    void choose_home() {
        for (const Successor& successor : successors)
            if (header_ && home_.empty() && !successor.table.empty() && detector_->contains(successor.key) &&
                !table_.contains(successor.table))
                home_ = successor.table;
    }

    std::optional<std::string> replace(const Successor& successor, const toml::node& value) {
        const std::size_t line = first_line(value);
        const std::string former = fmt::format("detector.{}", successor.key);
        last_ = std::max<std::size_t>(last_, value.source().end.line - 1);
        const auto drop = [&](const std::string& why) {
            erase(value);
            changes_.push_back(at(line, fmt::format("{} is dropped: {}", former, why)));
            return std::nullopt;
        };
        if (successor.table.empty()) return drop(std::string(successor.advice));
        const std::string name = fmt::format("{}.{}", successor.table, successor.name);
        if (table_[successor.table][successor.name]) return drop(name + " is there already");
        const auto text = value.value_exact<std::string>();
        const auto time = text ? parse_duration(*text) : std::nullopt;
        if (!time) return at(line, former + ": write a time, as in \"250ms\" or \"5s\"");
        const bool short_time = *time < successor.least;
        const std::string chosen = short_time ? fmt::format("{}ms", successor.least.count()) : *text;
        if (name == "register.lease")
            lease_ = short_time ? successor.least : std::chrono::round<milliseconds>(*time);
        changes_.push_back(at(line, fmt::format("{} becomes {} = \"{}\"{}", former, name, chosen,
                                                short_time ? ", the least that is possible" : "")));
        move(successor, value, chosen);
        return std::nullopt;
    }

    void move(const Successor& successor, const toml::node& value, const std::string& chosen) {
        const std::size_t line = first_line(value);
        const std::string setting = fmt::format("{} = \"{}\"", successor.name, chosen);
        const bool alone = value.source().end.line == value.source().begin.line && !detector_->is_inline();
        const std::string comment = alone ? old_[line].substr(value.source().end.column - 1) : "";
        erase(value);
        if (home_ == successor.table)
            new_[line] = {indent_of(old_[line]) + setting + comment};
        else
            added_[std::string(successor.table)].push_back(setting + comment);
    }

    void erase(const toml::node& value) {
        for (std::size_t line = first_line(value); line < value.source().end.line; ++line) new_[line].clear();
    }

    // The usual grace is too long for a short lease.
    void add_grace() {
        if (!lease_ || Register().grace * 2 <= *lease_ || table_["register"]["grace"]) return;
        const std::string setting = fmt::format("grace = \"{}ms\"", lease_->count() / 2);
        if (home_ == "register")
            new_[*header_].push_back(setting);
        else
            added_["register"].push_back(setting);
        changes_.push_back(fmt::format("{}: register.{} is new: at most half of a lease", path_, setting));
    }

    void drop_header() {
        if (detector_->empty())
            changes_.push_back(at(first_line(*detector_), "detector is dropped: it is empty"));
        if (detector_->empty() && !header_) erase(*detector_);
        if (!header_) return;
        const std::string& line = old_[*header_];
        if (home_.empty())
            new_[*header_].clear();
        else
            new_[*header_].front() =
                indent_of(line) + "[" + home_ + "]" + line.substr(detector_->source().end.column - 1);
    }

    // Into tables that are there, or as new ones after the last line of the detector.
    std::optional<std::string> insert() {
        for (const auto& [name, settings] : added_) {
            const toml::node* node = table_.get(name);
            const toml::table* table = node != nullptr ? node->as_table() : nullptr;
            if (node != nullptr && (table == nullptr || table->is_inline() || !has_header(*table)))
                return at(
                    first_line(*node),
                    fmt::format("{0}: write it as a table, [{0}], so that settings can be added", name));
            Lines& place = new_[table != nullptr ? first_line(*table) : header_ ? last_ : new_.size() - 1];
            if (table == nullptr && !(place.size() == 1 && place.front().empty())) place.emplace_back();
            if (table == nullptr) place.push_back("[" + name + "]");
            place.insert(place.end(), settings.begin(), settings.end());
            if (table == nullptr && !header_) place.emplace_back();  // the file ends with a line feed
        }
        return std::nullopt;
    }

    const toml::table& table_;
    const std::string& path_;
    const Lines old_;
    std::vector<Lines> new_;  // what each old line becomes
    const toml::table* detector_ = nullptr;
    std::optional<std::size_t> header_;  // the line [detector]
    std::string home_;                   // the table that it becomes
    std::size_t last_ = 0;               // line of the detector's settings
    std::optional<milliseconds> lease_;  // if it is new
    std::map<std::string, Lines> added_;
    Lines changes_;
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
