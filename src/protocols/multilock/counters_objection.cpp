// The demands of a site of `counters` on a message of another host before a handler sees it. A handler may
// count on all of it, and so may every site to which it passes something on: what one site lets pass, the
// next one does not blame it for.
#include <algorithm>

#include "protocols/multilock/counters.hpp"

namespace allot {

namespace {

// Of one request; `limits.locks_per_request` allows no more.
constexpr std::size_t most_resources = 4096;
// In one message: a step asks for the tokens that it lacks, and for loans of them.
constexpr std::size_t most_listed = 4 * most_resources;

using counters::Ask;
using counters::Token;
using Objection = std::optional<std::string>;

// A message that sites pass on to each other must not come back to where it was.
class Inspection {
public:
    Inspection(const Counters& site, const Counters::Context& ctx, SiteId from)
        : site_(site), ctx_(ctx), from_(from) {}

    Objection operator()(const Counters::Request& request) const {
        if (request.asks.size() > most_listed) return "it asks for too much at once";
        if (!request.visited.contains(from_)) return "a request that has not passed its sender";
        if (request.visited.contains(ctx_.self)) return "a request that has passed its receiver already";
        for (const Ask& ask : request.asks) {
            if (!request.visited.contains(ask.site)) return "a request that has not passed who made it";
            if (ask.missing.size() > most_resources) return "a request for too many locks";
        }
        return std::nullopt;
    }
    Objection operator()(const Counters::Counter& counter) const {
        if (counter.values.size() > most_listed) return "too many values at once";
        return std::nullopt;
    }
    Objection operator()(const Counters::Tokens& arrival) const {
        if (arrival.tokens.size() > most_listed) return "too many tokens at once";
        ResourceSet seen;
        for (const Token& token : arrival.tokens) {
            if (!seen.insert(token.resource).second || is_here(token.resource))
                return "a second token of " + token.resource.name();
            if (auto why = error_of(token)) return why;
        }
        return std::nullopt;
    }
    Objection operator()(const Counters::Hint& hint) const {
        if (hint.moves.size() > most_listed) return "too many places at once";
        for (const Counters::Whereabouts& move : hint.moves) {
            if (ctx_.config.home(move.resource) != ctx_.self)
                return "a place for a site that is no home of it";
            if (move.holder == ctx_.self) return "a place that the receiver knows better";
        }
        return std::nullopt;
    }

private:
    using ResourceSet = counters::ResourceSet;

    // Nobody else has a token before its origin has heard of it.
    bool is_here(ResourceId resource) const {
        return site_.has_token(resource) ||
               (!site_.knows(resource) && ctx_.config.origin(resource) == ctx_.self);
    }
    Objection error_of(const Token& token) const {
        if (token.counter == 0) return "a counter that has not begun";
        if (token.lender == ctx_.self) return "a token that its lender gets back as a loan";
        if (token.queue.size() > ctx_.config.sites) return "a queue with more sites than there are";
        for (const counters::Waiter& waiter : token.queue)
            if (waiter.missing.size() > most_resources) return "a request for too many locks";
        return std::nullopt;
    }

    const Counters& site_;
    const Counters::Context& ctx_;
    const SiteId from_;
};

}  // namespace

std::optional<std::string> Counters::objection(const Context& ctx, SiteId from,
                                               const Message& message) const {
    return std::visit(Inspection(*this, ctx, from), message);
}

}  // namespace allot
