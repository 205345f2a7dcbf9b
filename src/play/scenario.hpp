// The text of a scenario: one statement per line, a verb and its words. The player interprets the words,
// which depend on the protocol; docs/scenarios.md describes the format.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace allot::play {

enum class Verb : std::uint8_t {
    protocol,
    request,
    release,
    cancel,
    leave,
    join,
    restart,
    expel,
    timeout,
    crash,
    kill,
    synced,
    copy,
    tick,
    cut,
    heal,
    pause,
    resume,
    view,
    see,
    lapse,
    renew,
    quiet,
    adopt,
    stop,
    claim,
    deliver,
    duplicate,
    drop,
    settle,
    trusted,
    dead,
    suspected,
    departed,
    reconnected,
    stopped,
    state,
    put,
    empty,
    expect,
    loop,
    show,
};
BOOST_DESCRIBE_ENUM(Verb, protocol, request, release, cancel, leave, join, restart, expel, timeout, crash,
                    kill, synced, copy, tick, cut, heal, pause, resume, view, see, lapse, renew, quiet, adopt,
                    stop, claim, deliver, duplicate, drop, settle, trusted, dead, suspected, departed,
                    reconnected, stopped, state, put, empty, expect, loop, show)

// The form of a statement with this verb, for error messages.
std::string_view usage(Verb verb);

struct Statement {
    std::size_t line = 0;
    Verb verb{};
    std::vector<std::string> words;  // after the verb; JSON is one word
    std::string text;                // without comment and surrounding space
};

struct BadLine {
    std::size_t line = 0;
    std::string message;
};

struct Scenario {
    std::vector<Statement> statements;  // the first is the protocol
    std::optional<BadLine> error;       // the first malformed line; later lines are missing
};

// Splits a text into statements: `#` begins a comment at the start of a word, blank lines do not count.
Scenario read_scenario(std::string_view text);

// Words of one line: separated by space, `->` a word of its own, JSON from its bracket to the matching one.
Result<std::vector<std::string>> split_words(std::string_view line);

// The verb of that name, or an error that lists all verbs.
Result<Verb> verb_named(std::string_view name);

}  // namespace allot::play
