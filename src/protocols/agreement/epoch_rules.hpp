// The rules of views that can be switched off, each to see which defect it prevents (specs: views, section
// 11).
#pragma once

#include <boost/describe.hpp>

#include "core/meaning.hpp"

namespace allot::agreement {

// From a view to an epoch. Each is a row of section 11: the simpler design fails.
struct ViewRules {
    bool hold_off = true;
    bool numbered_messages = true;
    bool stay_frozen = true;
    bool freeze = true;
    bool all_reports = true;
    bool remember_missing = true;
    bool cold_start = true;
    static constexpr Meaning meanings[]{
        {"hold_off", "row 1: a member reports when the programs of removed members have stopped"},
        {"numbered_messages", "row 2: a message counts only in its epoch"},
        {"stay_frozen", "row 3: a frozen member stays frozen when a newer view comes"},
        {"freeze", "row 4: a member that has reported grants nothing until the next epoch"},
        {"all_reports", "row 5: an epoch begins with the reports of all members, not of most"},
        {"remember_missing", "row 8: a member waits for all that were removed since its epoch"},
        {"cold_start", "row 9: a view of newcomers waits until all removed before it have stopped"},
    };
    BOOST_DESCRIBE_CLASS(ViewRules, (),
                         (hold_off, numbered_messages, stay_frozen, freeze, all_reports, remember_missing,
                          cold_start),
                         (), ())
};

// Programs that outlive their daemon.
struct AdoptionRules {
    bool refuse_late = true;
    bool refuse_stale = true;
    bool report_adopted = true;
    bool check_receipts = true;
    bool refuse_outdated = true;
    static constexpr Meaning meanings[]{
        {"refuse_late", "row 11: a program is adopted only by the successor of its host in the view"},
        {"refuse_stale", "row 11: and only if that replaces the incarnation under which the program ran"},
        {"report_adopted", "an adopted program is in the report of its host"},
        {"check_receipts", "a program is adopted only with a receipt"},
        {"refuse_outdated", "the receipt says under which incarnation the program ran, not the program"},
    };
    BOOST_DESCRIBE_CLASS(AdoptionRules, (),
                         (refuse_late, refuse_stale, report_adopted, check_receipts, refuse_outdated), (), ())
};

// The numbers of fences, and requests that end meanwhile.
struct EpochRules {
    bool fence_by_view = true;
    bool agreed_numbers = true;
    bool keep_ends = true;
    static constexpr Meaning meanings[]{
        {"fence_by_view", "row 6: a fence begins with the epoch, not with what survivors know"},
        {"agreed_numbers", "row 7: the epoch has the number of its view, not one more than the last epoch"},
        {"keep_ends", "a request that ends while its host is frozen ends in the next epoch, too"},
    };
    BOOST_DESCRIBE_CLASS(EpochRules, (), (fence_by_view, agreed_numbers, keep_ends), (), ())
};

struct EpochRepairs : ViewRules, AdoptionRules, EpochRules {
    BOOST_DESCRIBE_CLASS(EpochRepairs, (ViewRules, AdoptionRules, EpochRules), (), (), ())
};

}  // namespace allot::agreement
