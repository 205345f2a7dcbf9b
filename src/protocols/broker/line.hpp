// Line: the requests at one resource of an ordered chain, first come, first served. The first one has the
// resource and goes on to its next resource, if there is one.
//
// `Queued` has the members `request`, an OwnId, and `further`, the resources after this one, ascending. Each
// function that may move a request to the front takes `serve`, and calls serve(queued) if one moved there.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "core/own_id.hpp"

namespace allot::chain {

template <class Queued>
struct Line {
    std::vector<Queued> queue;  // the first has the resource
    std::set<OwnId> cancelled;  // cancelled before they arrived

    bool is_first(OwnId request) const { return !queue.empty() && queue.front().request == request; }
    bool has(OwnId request) const {
        return std::ranges::any_of(queue, [&](const Queued& one) { return one.request == request; });
    }

    // Returns false, and forgets the request, if its cancellation came first.
    template <class Serve>
    bool add(Queued queued, Serve&& serve) {
        if (cancelled.erase(queued.request) > 0) return false;
        queue.push_back(std::move(queued));
        if (queue.size() == 1) serve(queue.front());
        return true;
    }

    template <class Gone, class Serve>
    void forget(Gone&& gone, Serve&& serve) {
        const bool moves_up = !queue.empty() && gone(queue.front());
        std::erase_if(queue, gone);
        if (moves_up && !queue.empty()) serve(queue.front());
    }
    template <class Serve>
    void end(OwnId request, Serve&& serve) {
        forget([&](const Queued& one) { return one.request == request; }, serve);
    }

    // early: the request has not arrived, and its cancellation waits for it. gone_on: it is also at the first
    // of its further resources, or on the way there, and its cancellation has to follow it. over: it was in
    // no other line after this one.
    enum class Cancelled : std::uint8_t { early, gone_on, over };
    struct Cancellation {
        Cancelled kind = Cancelled::early;
        std::optional<Queued> request{};  // as it stood in line
    };
    template <class Serve>
    Cancellation cancel(OwnId request, Serve&& serve) {
        const auto place = std::ranges::find(queue, request, &Queued::request);
        if (place == queue.end()) {
            cancelled.insert(request);
            return {};
        }
        const bool gone_on = place == queue.begin() && !place->further.empty();
        const Cancellation found{gone_on ? Cancelled::gone_on : Cancelled::over, *place};
        end(request, serve);
        return found;
    }

    bool operator==(const Line&) const = default;
    BOOST_DESCRIBE_CLASS(Line, (), (queue, cancelled), (), ())
};

}  // namespace allot::chain
