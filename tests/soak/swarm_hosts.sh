# Random runs of hosts that agree by themselves: register, leases and views in one machine, with clocks that differ, crashes, cuts
# and removals without reason; and rules that are switched off are found, most of them in long runs only. from-question
# and whole-hold-off are left to the checker of leases.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
lasting 10000 20000000 hosts-counters --ticks 30
mutation assertion hosts-counters --without numbered-messages --property assertion
mutation lease-holds hosts-counters --without stop-in-time
mutation fences-grow hosts-counters --without returned-views --property fences-grow
mutation one-value hosts-counters --without majorities
mutation one-holder hosts-counters --without hold-off --property one-holder --grants 50 --faults 3
mutation fences-grow hosts-counters --without fence-by-view --grants 50 --faults 3
mutation fences-grow hosts-counters --without agreed-numbers --grants 50 --faults 3
