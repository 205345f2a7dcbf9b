// `composition` with a leader that lets one site pass when all sites around it wait (LKCS). The arbiters
// within two hops of the leader keep a reserve for that; so it needs more room there, at the start and
// always.
#pragma once

#include "protocols/neighborhood/arbitrated.hpp"

namespace allot {

namespace neighborhood {

struct SidetrackRules {
    static constexpr std::string_view name = "sidetrack";
    static constexpr std::string_view summary =
        "in each neighbourhood at least l and at most k sites are in service; a leader breaks some deadlocks";
    static constexpr std::array<std::string_view, 2> probes{"nominated", "trigger-too-late"};

    struct Config : ArbiterConfig {
        struct Repairs : neighborhood::Repairs {
            Repairs() = default;  // no aggregate, so that it describes only the repairs that matter here
            BOOST_DESCRIBE_CLASS(Repairs, (),
                                 (start_out, tags, spare_users, reconsider, one_nominee, hard_caps, pay_back,
                                  start_margin, two_hops, forget_asked, fresh_tags),
                                 (), ())
        };
        SiteId leader = 0;
        Repairs repairs;
        Config();
        void derive() { ArbiterConfig::derive(leader, repairs.start_margin); }
        static constexpr Meaning meanings[]{
            {"leader", "the site that lets one site pass when all sites around it wait"},
        };
        BOOST_DESCRIBE_CLASS(Config, (ArbiterConfig), (leader, repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);
};

}  // namespace neighborhood

using Sidetrack = neighborhood::Arbitrated<neighborhood::SidetrackRules>;

}  // namespace allot
