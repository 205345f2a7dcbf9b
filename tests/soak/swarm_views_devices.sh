# Random runs of devices with agreed views, on up to seven hosts; and each rule that is switched off is found. Where a flag fixes
# something, the defect is rare among all runs that are drawn. `refuse-stale` is left to the checker.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
lasting 30000 14000000 views-devices
clean 30000 2600000 views-devices --seed 2
clean 30000 2600000 host-chain
mutation one-user views-devices --without keep-users --property one-user
mutation deadlock views-devices --without ask-again --property deadlock
mutation deadlock views-devices --without fail-lost --property deadlock
mutation deadlock views-devices --without ascending --property deadlock
mutation deadlock views-devices --without pass-cancel --property deadlock
mutation fences-grow views-devices --without count-grants --property fences-grow
mutation one-user views-devices --without hold-off --property one-user
mutation one-user views-devices --without numbered-messages --property one-user
mutation one-user views-devices --without stay-frozen --property one-user
mutation one-user views-devices --without freeze --property one-user
mutation one-user views-devices --without all-reports --property one-user
mutation one-user views-devices --without remember-missing --property one-user
mutation one-user views-devices --without cold-start --property one-user
mutation fences-grow views-devices --without fence-by-view --property fences-grow
mutation fences-grow views-devices --without agreed-numbers --property fences-grow
mutation deadlock views-devices --without keep-ends --property deadlock
few='--resources 1 --max-request 1 --seats 1'
mutation one-user views-devices --without report-lost --property one-user --bound r0:1 --crashes 3 --restarts 3 $few
mutation one-user views-devices --without report-adopted --property one-user --orphans --crashes 3 --restarts 3 --sites 2 $few
mutation one-user views-devices --without refuse-late --property one-user --orphans --crashes 3 --restarts 3 --sites 2 $few
