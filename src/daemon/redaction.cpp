#include "daemon/redaction.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/harmless.hpp"

namespace allot::daemon {

namespace {

constexpr std::string_view mask = "***";
// Nobody is shown more of a command, so no more of it is searched.
constexpr std::size_t longest_command = 4096;

bool is_blank(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\n';
}

// Reads a command line as a shell does, letter by letter.
struct ShellQuotes {
    char quote = 0;        // of the quotation that it is in; 0: it is in none
    bool escaped = false;  // the next letter

    void read(char letter) {
        if (escaped) {
            escaped = false;
        } else if (letter == '\\' && quote != '\'') {
            escaped = true;
        } else if (quote == 0 && (letter == '\'' || letter == '"')) {
            quote = letter;
        } else if (letter == quote) {
            quote = 0;
        }
    }
};

// The end of the word at `at`, which may consist of several quotations. In a quotation a blank ends no word:
// whether it is one argument or a command for a shell, nobody can tell.
std::size_t end_of_word(std::string_view text, std::size_t at, ShellQuotes shell) {
    const char outer = shell.quote;
    for (; at < text.size(); ++at) {
        if (shell.quote == 0 && !shell.escaped && is_blank(text[at])) break;
        shell.read(text[at]);
    }
    const bool ends_quotation = outer != 0 && shell.quote == 0 && text[at - 1] == outer;
    return ends_quotation ? at - 1 : at;
}

class Redaction {
public:
    Redaction(std::string_view text, std::string_view pattern)
        : text_(text), begin_(pattern), hides_rest_(pattern.ends_with('*')) {
        if (hides_rest_) begin_.remove_suffix(1);
    }

    std::string shown() {
        while (at_ < text_.size()) {
            if (text_.substr(at_).starts_with(begin_))
                hide();
            else
                copy(1);
        }
        return std::move(shown_);
    }

private:
    void read(std::size_t letters) {
        for (const std::size_t end = at_ + letters; at_ < end; ++at_) shell_.read(text_[at_]);
    }
    void copy(std::size_t letters) {
        shown_ += text_.substr(at_, letters);
        read(letters);
    }

    void hide() {
        if (!hides_rest_) {
            shown_ += mask;
            return read(begin_.size());
        }
        copy(begin_.size());
        if (begin_.ends_with(' '))
            while (at_ < text_.size() && text_[at_] == ' ') copy(1);
        const std::size_t end = end_of_word(text_, at_, shell_);
        if (end <= at_) return;
        shown_ += mask;
        read(end - at_);
    }

    std::string_view text_;
    std::string_view begin_;  // of what is hidden
    bool hides_rest_;
    ShellQuotes shell_;
    std::size_t at_ = 0;
    std::string shown_;
};

}  // namespace

std::string objection_to_pattern(std::string_view pattern) {
    const std::size_t star = pattern.find('*');
    const bool is_text = is_harmless(pattern) && !pattern.empty() && pattern != "*";
    if (is_text && (star == std::string_view::npos || star == pattern.size() - 1)) return "";
    return fmt::format("\"{}\": write the text before a secret and *, as in \"password=*\"",
                       harmless(pattern));
}

std::string redacted(std::string_view command, const std::vector<std::string>& patterns) {
    std::string shown(command.substr(0, longest_command));
    for (const std::string& pattern : patterns) shown = Redaction(shown, pattern).shown();
    return shown;
}

}  // namespace allot::daemon
