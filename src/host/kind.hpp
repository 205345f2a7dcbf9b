// A kind of resource on one host: the part that locks and semaphores (and later pools, groups and devices)
// have in common. A kind is told what the programs of the host want, and settles that with its counterparts
// on the other members of the epoch, by one protocol.
//
// Each kind K offers
//     K::Message                     to its counterpart on another host
//     ask(request, demand)           a request comes; it is served as soon as the host works
//     end(request)                   it is over: what it uses is free, or it waits no longer
//     settle(epoch, fx)              does what is left to do; to be called while the host works
//     receive(epoch, from, message, fx)
//     holdings(epoch)                what the requests of this host use and wait for, for the report
//     forget_epoch()                 the host is frozen: the old epoch never goes on
//     rebuild(epoch, claims, fx)     the next epoch begins, with what all members reported
// `ask` and `end` may be called at any time. While the host is frozen they change only what the next report
// says, and what `settle` finds to do in the next epoch.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace allot::host {

// A request of a program, as the host numbers it: the smallest number that is free.
using RequestId = std::uint32_t;

// The epoch in which a host works.
struct Epoch {
    std::uint32_t number = 0;
    std::uint32_t members = 1;
    SiteId place = 0;         // of this host among them
    std::uint32_t fence = 0;  // fences of the epoch begin with this number
};

// The effects of a kind. Hosts are named by their places in the epoch.
template <class Message>
struct KindEffects {
    struct Send {
        SiteId to;
        Message message;
    };
    struct Grant {
        RequestId request;
        std::vector<Fence> fences;  // one per lock in the order of the demand; 0: units have no order
    };
    std::vector<Send> sends;
    std::vector<Grant> grants;
    std::vector<RequestId> refusals;  // they ask for more than there is in this epoch
    std::vector<std::string_view> probes;
};

}  // namespace allot::host
