// What is measured: the same loops for every contender.
#pragma once

#include <chrono>
#include <vector>

#include "contender.hpp"

namespace allot::bench {

struct Figures {
    double p50_us = 0;
    double p99_us = 0;
    double per_second = 0;
};

struct Load {
    const char* title;
    Workload workload;
    int clients;
};

// pairs: the time of a lock and an unlock. turns: from the call that releases to the return of the call that
// waits. sets: from asking to holding.
Figures measure(Contender& contender, const Load& load, std::chrono::milliseconds duration);

// How often, among so many rounds, clients that ask one after another for a lock that is held get it in
// another order than that.
int rounds_out_of_order(Contender& contender, int clients, int rounds);

// Of at least one value.
double median(std::vector<double> values);

}  // namespace allot::bench
