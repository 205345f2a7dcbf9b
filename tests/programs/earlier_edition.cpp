// earlier_edition REGISTER: lets the hosts of a register in a file have agreed on the edition before, as
// those of the version before have.
#include <fmt/format.h>

#include "durable/file_register.hpp"
#include "durable/register_record.hpp"

int main(int argc, char** argv) {
    using namespace allot;
    if (argc != 2) {
        fmt::print(stderr, "usage: earlier_edition REGISTER, as in earlier_edition register\n");
        return 2;
    }
    auto value = durable::FileRegister(argv[1]).read();
    if (!value || !value->settings) {
        fmt::print(stderr, "{}\n", value ? "nobody has agreed on settings yet" : value.error());
        return 1;
    }
    value->settings->agreed_edition = former_edition;
    const auto written = durable::write_record(argv[1], durable::record_of(*value));
    if (!written) fmt::print(stderr, "{}\n", written.error());
    return written ? 0 : 1;
}
