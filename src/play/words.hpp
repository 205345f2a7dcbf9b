// Reads the words of a statement one after the other. It keeps the first error, and every later read returns
// an empty value, so a reader asks for everything it needs and looks at the error once.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "play/scenario.hpp"

namespace allot::play {

struct Channel {
    SiteId from = 0;
    SiteId to = 0;
};

class Words {
public:
    // `usage` is the form of the whole statement; `sites` the number of sites.
    Words(std::vector<std::string> words, std::string_view usage, std::uint32_t sites)
        : words_(std::move(words)), usage_(usage), sites_(sites) {}

    bool more() const { return !error_ && next_ < words_.size(); }
    bool next_is(std::string_view word, std::size_t ahead = 0) const {
        return !error_ && next_ + ahead < words_.size() && words_[next_ + ahead] == word;
    }

    std::string word(std::string_view expected);
    std::uint64_t number(std::string_view expected);
    SiteId site(std::string_view expected = "a site");
    std::vector<SiteId> sites();  // all remaining words
    Channel channel();
    boost::json::value json(std::string_view expected);
    // The words before `stop`, as a Words of their own.
    Words up_to(std::string_view stop, std::string_view usage);

    void fail(std::string message) {
        if (!error_) error_ = std::move(message);
    }
    const std::optional<std::string>& error() const { return error_; }
    // The first error; nothing if there was none and no word is left.
    std::optional<std::string> finish();

private:
    std::vector<std::string> words_;
    std::string_view usage_;
    std::uint32_t sites_;
    std::size_t next_ = 0;
    std::optional<std::string> error_;
};

}  // namespace allot::play
