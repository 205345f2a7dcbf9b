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
    bool drain_first = true;
    bool members_only = true;
    bool returned_only = true;
    bool keep_waiting = true;
    bool keep_early = true;
    bool keep_reports = true;
    bool keep_ends = true;
    bool fence_by_view = true;
    bool look_again = true;
    bool forget_names = true;
    bool owed_first = true;
    bool ask_again = true;
    bool guard = true;
    bool try_again = true;
    bool await_programs = true;
    bool keep_first = true;
    bool free_last = true;
    bool hold_for_absent = true;
    bool forget_at_work = true;
    bool confirm_deaths = true;
    bool end_quarrels = true;
    bool enter_with_links = true;
    bool report_in_time = true;
    bool serve_owner = true;
    bool carry_certified = true;

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
        {"drain_first", "a host leaves in order only when none of its programs runs"},
        {"members_only", "only a value that names the host as a member renews its lease"},
        {"returned_only", "a value that another host passes on renews no lease"},
        {"keep_waiting", "requests that wait go on when their host was removed and joins again"},
        {"keep_early", "messages of an epoch that has not begun here are kept until it begins"},
        {"keep_reports", "reports to a view that the host has not seen yet are kept until it sees it"},
        {"keep_ends", "a request that ends while its host is frozen ends in the next epoch, too"},
        {"fence_by_view", "a fence begins with the number of the epoch"},
        {"look_again", "a request that leaves the line lets those be looked at that wait behind it"},
        {"forget_names", "the line forgets a name that nobody wants any more"},
        {"owed_first", "a request that was overtaken often enough does not overtake an earlier one of these"},
        {"ask_again", "programs that wait ask the next daemon of their machine again"},
        {"guard", "the guardian stops programs when the lease ends and the daemon is dead"},
        {"try_again", "a host tries an operation of the register again that nobody has answered"},
        {"await_programs", "the kernel certifies a daemon only when its programs have ended, too"},
        {"keep_first", "a sticky request is granted when the register keeps it, not before"},
        {"free_last", "a sticky request is free for others when the register has forgotten it, not before"},
        {"hold_for_absent", "sticky requests of hosts that are gone stay in use"},
        {"forget_at_work",
         "only a host that works in the newest view lets the register forget a sticky request"},
        {"confirm_deaths", "a host removes a member that it misses only if most others miss it, too"},
        {"end_quarrels", "of two members that do not hear each other, those that hear both remove one"},
        {"enter_with_links", "a host joins only if it hears every member that other members hear"},
        {"report_in_time", "a member whose report alone is missing for long is removed"},
        {"serve_owner", "a request that waits gets what another program of its owner leaves behind"},
        {"carry_certified", "a member that skips a view does not wait for those that were certified in it"},
    };
    BOOST_DESCRIBE_CLASS(Rules, (),
                         (from_question, whole_hold_off, stop_in_time, grant_in_time, locks_first,
                          return_on_end, stop_old_life, certify_own, prove_quiet, give_way, bound_overtakes,
                          remove_until_gone, drain_first, members_only, returned_only, keep_waiting,
                          keep_early, keep_reports, keep_ends, fence_by_view, look_again, forget_names,
                          owed_first, ask_again, guard, try_again, await_programs, keep_first, free_last,
                          hold_for_absent, forget_at_work, confirm_deaths, end_quarrels, enter_with_links,
                          report_in_time, serve_owner, carry_certified),
                         (), ())
};

}  // namespace allot::host
