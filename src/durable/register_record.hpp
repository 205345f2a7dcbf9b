// The value of the register as a durable record: the same in a file and in etcd.
#pragma once

#include <string>
#include <string_view>

#include "durable/record.hpp"
#include "protocols/agreement/register.hpp"

namespace allot::durable {

inline constexpr std::string_view register_kind = "register";

Record record_of(const agreement::Value& value);
// `name` says where the record was, for the error.
Result<agreement::Value> value_of(const Record& record, const std::string& name);

std::string text_of(const agreement::Value& value);
Result<agreement::Value> parse_value(std::string_view text, const std::string& name);

}  // namespace allot::durable
