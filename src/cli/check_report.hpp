// The result of `allot check`, printed for people and for programs.
#pragma once

namespace allot::check {
struct Options;
struct Result;
}  // namespace allot::check

namespace allot::walk {
class Machine;
}

namespace allot::cli {

void print_check(walk::Machine& machine, const check::Options& options, const check::Result& result);
void print_check_json(walk::Machine& machine, const check::Options& options, const check::Result& result);

}  // namespace allot::cli
