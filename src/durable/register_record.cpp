#include "durable/register_record.hpp"

#include "core/bytes.hpp"
#include "core/stamps.hpp"

namespace allot::durable {

using agreement::Value;

Record record_of(const Value& value) {
    const Edition edition = value.settings ? value.edition() : newest_edition;
    return {std::string(register_kind), edition, StampAccess::value(value.version), to_bytes(value, edition)};
}

Result<Value> value_of(const Record& record, const std::string& name) {
    auto value = from_bytes<Value>(record.content, record.edition);
    if (!value) return Error{name + ": its content is no value of the register"};
    return std::move(*value);
}

std::string text_of(const Value& value) {
    return text_of(record_of(value));
}

Result<Value> parse_value(std::string_view text, const std::string& name) {
    const auto record = parse_record(text, register_kind, name);
    if (!record) return Error{record.error()};
    return value_of(*record, name);
}

}  // namespace allot::durable
