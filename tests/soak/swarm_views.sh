# Random runs of views among two to seven hosts: joins, crashes, returns, adoption, expulsions and lapses of leases; and
# each rule that is switched off is found. Where a flag fixes something, the defect is rare among all runs that are drawn.
# (refuse-stale needs two crashes of one host with an orphan that nobody stops: it is left to the checker.)
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
lasting 30000 15000000 views-counters
clean 30000 2700000 views-counters --seed 2
clean 30000 1700000 views-counters --seed 2 --sites 2 --orphans --crashes 3 --restarts 3
clean 20000 1100000 views-counters --seed 2 --sites 2 --orphans --crashes 3 --restarts 3 --false-claims 2
clean 20000 1800000 views-incremental --seed 2
mutation one-holder views-counters --without hold-off --property one-holder
mutation assertion views-counters --without numbered-messages --property assertion
mutation one-holder views-counters --without stay-frozen --property one-holder
mutation one-holder views-counters --without freeze --property one-holder
mutation one-holder views-counters --without all-reports --property one-holder
mutation fences-grow views-counters --without fence-by-view
mutation fences-grow views-counters --without agreed-numbers
mutation one-holder views-counters --without remember-missing --property one-holder
mutation one-holder views-counters --without cold-start --property one-holder
mutation deadlock views-counters --without keep-ends --property deadlock
orphans='--orphans --crashes 3 --restarts 3 --sites 2 --resources 1'
mutation one-holder views-counters --without refuse-late --property one-holder $orphans
mutation one-holder views-counters --without report-adopted --property one-holder $orphans
mutation one-holder views-counters --without check-receipts --property one-holder $orphans --false-claims 2
mutation one-holder views-counters --without refuse-outdated --property one-holder $orphans --false-claims 2
