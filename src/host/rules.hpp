// The rules of a host that can be switched off, each to see which defect it prevents.
#pragma once

#include <boost/describe.hpp>

#include "core/meaning.hpp"

namespace allot::host {

struct Rules {
    bool from_question = true;
    bool whole_hold_off = true;
    bool stop_in_time = true;
    bool grant_in_time = true;
    bool locks_first = true;
    bool return_on_end = true;
    bool stop_old_life = true;
    bool certify_own = true;
    bool prove_quiet = true;
    bool give_way = true;
    bool bound_overtakes = true;
    bool remove_until_gone = true;

    static constexpr Meaning meanings[]{
        {"from_question", "a lease counts from the question, not from the answer"},
        {"whole_hold_off", "a hold-off takes no tick less than a lease and the error of clocks"},
        {"stop_in_time", "a host stops its programs when its lease ends"},
        {"grant_in_time", "a host without a lease lets no program begin"},
        {"locks_first", "every request takes its kinds in one order"},
        {"return_on_end", "a request that ends gives back all its parts, also those of earlier kinds"},
        {"stop_old_life", "a host that was removed stops its programs before it joins again"},
        {"certify_own", "a host that comes back certifies only the incarnation that it replaces itself"},
        {"prove_quiet", "newcomers begin at once only if the view says that nobody else runs"},
        {"give_way", "a single lock is asked for at once though a set waits for it in a seat"},
        {"bound_overtakes", "a set that was overtaken often enough is not overtaken again on its host"},
        {"remove_until_gone", "a host that leaves still removes dead ones, for which it may wait"},
    };
    BOOST_DESCRIBE_CLASS(Rules, (),
                         (from_question, whole_hold_off, stop_in_time, grant_in_time, locks_first,
                          return_on_end, stop_old_life, certify_own, prove_quiet, give_way, bound_overtakes,
                          remove_until_gone),
                         (), ())
};

}  // namespace allot::host
