// A setting that must be the same on all hosts, as people write it.
#pragma once

#include <boost/describe.hpp>
#include <string>

namespace allot::net {

struct Setting {
    std::string name;  // as in bootstrap.lease
    std::string value;
    bool operator==(const Setting&) const = default;
};
BOOST_DESCRIBE_STRUCT(Setting, (), (name, value))

}  // namespace allot::net
