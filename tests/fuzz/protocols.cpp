// Sites of every protocol of the registry but whole hosts (host.cpp): the first byte says of which. In the
// laboratory a handler may throw, because nobody else than the checker sends such messages; it may do no
// harm.
#include "protocol_list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    allot::fuzz::Source source(data, size);
    allot::fuzz::protocols[source.byte() % allot::fuzz::protocols.size()](source);
    return 0;
}
