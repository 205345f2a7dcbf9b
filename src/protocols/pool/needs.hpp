// The units that each site asks for in the laboratory (check, swarm, sim), where bounds for all sites say too
// little.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/types.hpp"

namespace allot::pool {

// `any`: each amount that the bounds allow. Otherwise amounts, as in 1/3 for all sites and 1/3;2;0 for one
// site after the other; a site with 0 never asks.
class Needs {
public:
    using Amounts = std::vector<std::uint32_t>;

    static Result<Needs> parse(std::string_view name, std::string_view text);
    const std::string& text() const { return text_; }

    bool any() const { return choices_.empty(); }
    // One for all sites, or one for each; 0 for `any`.
    std::size_t size() const { return choices_.size(); }
    // Ascending; empty if the site never asks. Not for `any`.
    const Amounts& of(SiteId site) const { return choices_[choices_.size() == 1 ? 0u : std::uint32_t{site}]; }
    bool asks(SiteId site) const { return any() || !of(site).empty(); }
    // The largest amount of any site; 0 if none asks, and for `any`.
    std::uint32_t largest() const;
    bool operator==(const Needs&) const = default;

private:
    std::string text_ = "any";
    std::vector<Amounts> choices_;

    BOOST_DESCRIBE_CLASS(Needs, (), (), (), (text_))
};

}  // namespace allot::pool
