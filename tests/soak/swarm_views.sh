# Random runs of views among two to seven hosts: joins, crashes, returns, adoption, expulsions and lapses of leases; and
# each rule that is switched off is found. (refuse-stale needs two crashes of one host with an orphan: it is left to the
# checker.)
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
clean 100000 9000000 views-counters
clean 50000 2900000 views-counters --seed 2 --sites 2 --orphans --crashes 3 --restarts 3
finds one-holder 20000 views-counters --without hold-off --property one-holder
finds assertion 20000 views-counters --without numbered-messages
finds one-holder 20000 views-counters --without stay-frozen --property one-holder
finds one-holder 20000 views-counters --without freeze --property one-holder
finds one-holder 20000 views-counters --without all-reports --property one-holder
finds fences-grow 20000 views-counters --without fence-by-view
finds fences-grow 20000 views-counters --without agreed-numbers
finds one-holder 20000 views-counters --without remember-missing --property one-holder
finds one-holder 20000 views-counters --without cold-start --property one-holder
finds one-holder 20000 views-counters --without refuse-late
finds deadlock 20000 views-counters --without keep-ends --property deadlock
finds one-holder 20000 views-counters --without report-adopted --orphans --crashes 1 --restarts 1 --sites 2 --resources 1
