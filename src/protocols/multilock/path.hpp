// A token that moves among sites by path reversal (Naimi and Trehel 1987), as one site sees it.
//
// The sites that want the token stand in a waiting line, and each knows its `next`. A site joins at the end
// of the line and must find it first. `last` is each site's guess of the end: a request climbs from guess to
// guess, and every site on its way guesses the asker from then on, because the asker is the new end. So a
// long way is long only once, and the guesses form a tree whose root is the end of the line.
//
// A path sends nothing itself. It calls a `post`, which has
//     ask(to, asker)        pass on that this asker wants the token
//     hand(to, token)       hand over the token
// so that each protocol wraps both into its own messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ensure.hpp"
#include "core/types.hpp"

namespace allot::multilock {

template <class Token>
struct Path {
    std::optional<SiteId> last;  // my guess of the end of the line; nothing: it is me
    std::optional<SiteId> next;  // the site after me in the line
    std::optional<Token> token;  // if it is here
    bool want = false;           // I wait for it or use it
    bool operator==(const Path&) const = default;
    BOOST_DESCRIBE_CLASS(Path, (), (last, next, token, want), (), ())

    // At the start one site has the token, and every site knows that.
    static Path at_start(SiteId self, SiteId owner = 0) {
        if (self == owner) return {.token = Token{}};
        return {.last = owner};
    }

    // Afterwards the token is here, or this site waits for it.
    template <class Post>
    void ask(SiteId self, Post&& post) {
        ensure(!want, "a token is asked for twice");
        want = true;
        if (!last) return ensure(token.has_value(), "the last site of an empty waiting line has the token");
        post.ask(*last, self);
        last.reset();
    }

    template <class Post>
    void asked(SiteId asker, Post&& post) {
        if (last) {
            post.ask(*last, asker);
        } else if (want) {
            ensure(!next, "no site follows the last of a line");
            next = asker;
        } else {
            hand(asker, post);
        }
        last = asker;
    }

    void arrived(Token content) {
        ensure(want && !token, "a token comes to a site that waits for it");
        token = std::move(content);
    }

    template <class Post>
    void leave(Post&& post) {
        ensure(want && token, "only the site with the token gives it up");
        want = false;
        if (next) hand(*std::exchange(next, std::nullopt), post);
    }

    std::optional<std::string> state_error() const {
        if (!last && !want && !token) return "a site without last has the token, or wants it";
        return std::nullopt;
    }

private:
    template <class Post>
    void hand(SiteId to, Post& post) {
        ensure(token.has_value(), "only a token that is here is handed over");
        post.hand(to, *std::exchange(token, std::nullopt));
    }
};

// A request in flight.
struct Climber {
    SiteId asker = 0;
    SiteId to = 0;
};

// Why the guesses `last`, by site, and the requests in flight form no tree whose root is the end of the line.
std::optional<std::string> not_a_tree(std::vector<std::optional<SiteId>> last,
                                      std::span<const Climber> climbers);

}  // namespace allot::multilock
