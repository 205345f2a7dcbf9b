#include "play/words.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

namespace allot::play {

namespace {

std::optional<std::uint64_t> number_from(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

std::string Words::word(std::string_view expected) {
    if (error_) return {};
    if (next_ < words_.size()) return words_[next_++];
    fail(std::string(expected) + " is missing; write " + std::string(usage_));
    return {};
}

std::uint64_t Words::number(std::string_view expected) {
    const std::string text = word(expected);
    if (error_) return 0;
    const auto value = number_from(text);
    if (!value) fail("\"" + text + "\" is not " + std::string(expected) + "; write " + std::string(usage_));
    return value.value_or(0);
}

SiteId Words::site(std::string_view expected) {
    const std::uint64_t site = number(expected);
    if (error_ || site < sites_) return static_cast<SiteId>(site);
    fail("site " + std::to_string(site) + ": there " +
         (sites_ == 1 ? "is only site 0" : "are sites 0 to " + std::to_string(sites_ - 1)));
    return 0;
}

std::vector<SiteId> Words::sites() {
    std::vector<SiteId> list;
    while (more()) list.push_back(site());
    return list;
}

Channel Words::channel() {
    Channel channel;
    channel.from = site("the sending site");
    if (const std::string arrow = word("->"); !error_ && arrow != "->")
        fail("\"" + arrow + "\" stands where -> should; write " + std::string(usage_));
    channel.to = site("the receiving site");
    return channel;
}

boost::json::value Words::json(std::string_view expected) {
    const std::string text = word(expected);
    if (error_) return {};
    boost::system::error_code failure;
    boost::json::value value = boost::json::parse(text, failure);
    if (failure) fail(text + " is not JSON (" + failure.message() + "); write " + std::string(usage_));
    return value;
}

Words Words::up_to(std::string_view stop, std::string_view usage) {
    const auto begin = words_.begin() + static_cast<std::ptrdiff_t>(std::min(next_, words_.size()));
    const auto end = std::find(begin, words_.end(), stop);
    Words part({begin, end}, usage, sites_);
    next_ = static_cast<std::size_t>(end - words_.begin());
    return part;
}

std::optional<std::string> Words::finish() {
    if (error_) return error_;
    if (next_ >= words_.size()) return std::nullopt;
    return "\"" + words_[next_] + "\" is a word too many: one statement per line, written " +
           std::string(usage_);
}

}  // namespace allot::play
