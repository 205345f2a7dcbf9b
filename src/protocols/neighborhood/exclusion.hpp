// In each neighbourhood at most k sites are in service: a site needs the permission of its neighbourhood to
// enter, and leaves at once (LMUTEX). It is `inclusion` with in and out exchanged.
#pragma once

#include "protocols/neighborhood/arbitrated.hpp"

namespace allot {

namespace neighborhood {

struct ExclusionRules {
    static constexpr std::string_view name = "exclusion";
    static constexpr std::string_view summary = "in each neighbourhood at most k sites are in service";
    static constexpr std::array<std::string_view, 0> probes{};

    struct Config : ArbiterConfig {
        struct Repairs : neighborhood::Repairs {
            Repairs() = default;  // no aggregate, so that it describes only the repairs that matter here
            BOOST_DESCRIBE_CLASS(Repairs, (), (tags, reconsider), (), ())
        };
        Repairs repairs;
        Config();
        BOOST_DESCRIBE_CLASS(Config, (ArbiterConfig), (repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);
};

}  // namespace neighborhood

using Exclusion = neighborhood::Arbitrated<neighborhood::ExclusionRules>;

}  // namespace allot
