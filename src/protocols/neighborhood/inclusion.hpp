// In each neighbourhood at least l sites are in service: a site needs the permission of its neighbourhood to
// leave, and returns at once (LMUTIN). arbiter.hpp explains the permissions.
#pragma once

#include "protocols/neighborhood/arbitrated.hpp"

namespace allot {

namespace neighborhood {

struct InclusionRules {
    static constexpr std::string_view name = "inclusion";
    static constexpr std::string_view summary = "in each neighbourhood at least l sites are in service";
    static constexpr std::array<std::string_view, 0> probes{};

    struct Config : ArbiterConfig {
        struct Repairs : neighborhood::Repairs {
            Repairs() = default;  // no aggregate, so that it describes only the repairs that matter here
            BOOST_DESCRIBE_CLASS(Repairs, (), (start_out, tags, reconsider), (), ())
        };
        Repairs repairs;
        Config();
        BOOST_DESCRIBE_CLASS(Config, (ArbiterConfig), (repairs), (), ())
    };
    static std::optional<std::string> config_error(const Config& config);
    static void sample(Draw& draw);
};

// Why a protocol without upper bounds cannot run this instance.
std::optional<std::string> upper_bounds_error(const Neighborhood& instance);

}  // namespace neighborhood

using Inclusion = neighborhood::Arbitrated<neighborhood::InclusionRules>;

}  // namespace allot
