// In each neighbourhood at least l and at most k sites are in service: `inclusion` and `exclusion` at once.
// It is safe, but the two kinds of permissions may deadlock; `sidetrack` and `escrow` address that.
#pragma once

#include "protocols/neighborhood/arbitrated.hpp"

namespace allot {

namespace neighborhood {

struct CompositionRules {
    static constexpr std::string_view name = "composition";
    static constexpr std::string_view summary =
        "in each neighbourhood at least l and at most k sites are in service; may deadlock";
    static constexpr std::array<std::string_view, 0> probes{};

    struct Config : ArbiterConfig {
        struct Repairs : neighborhood::Repairs {
            Repairs() = default;  // no aggregate, so that it describes only the repairs that matter here
            BOOST_DESCRIBE_CLASS(Repairs, (), (start_out, tags, spare_users, reconsider, fresh_tags), (), ())
        };
        Repairs repairs;
        Config();
        BOOST_DESCRIBE_CLASS(Config, (ArbiterConfig), (repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config&) { return std::nullopt; }
    static void sample(Draw& draw);
};

}  // namespace neighborhood

using Composition = neighborhood::Arbitrated<neighborhood::CompositionRules>;

}  // namespace allot
