// Redis as a contender: locks as its documentation describes them, through hiredis.
#pragma once

#include "contender.hpp"
#include "process.hpp"

namespace allot::bench {

// answered: every call waits for its answer. in_flight: release() sends, and its answer is read with that of
// the next acquire(), as allot's client does it.
enum class Release { answered, in_flight };

class Redis {
public:
    explicit Redis(const std::string& folder);

    std::unique_ptr<Contender> contender(Release release) const;

private:
    std::string socket_;
    Process server_;
};

}  // namespace allot::bench
