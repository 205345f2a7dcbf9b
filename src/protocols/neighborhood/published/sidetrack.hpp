// `sidetrack` as the paper prints it (Algorithms 3 to 7), defects included.
#pragma once

#include "protocols/neighborhood/sidetrack.hpp"

namespace allot {

namespace neighborhood {

struct SidetrackPublishedRules {
    static constexpr std::string_view name = "sidetrack-published";
    static constexpr std::string_view summary = "sidetrack as printed in the paper, defects included";
    static constexpr std::array<std::string_view, 3> probes{"nominated", "trigger-too-late",
                                                            "nobody-nominated"};

    struct Config : ArbiterConfig {
        struct Repairs : neighborhood::Repairs {
            Repairs();
            BOOST_DESCRIBE_CLASS(Repairs, (),
                                 (start_out, tags, spare_users, reconsider, nominate_any, thresholds,
                                  one_nominee, hard_caps, pay_back, start_margin, own_stamp, two_hops,
                                  forget_asked, fresh_tags),
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
    static void sample(Draw& draw) { SidetrackRules::sample(draw); }
};

}  // namespace neighborhood

using SidetrackPublished = neighborhood::Arbitrated<neighborhood::SidetrackPublishedRules>;

}  // namespace allot
