# Random runs of permits with agreed views, on up to seven hosts; and each rule that is switched off is found. Where a flag fixes
# something, the defect is rare among all runs that are drawn.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
lasting 30000 25000000 views-permits
clean 30000 4300000 views-permits --seed 2
clean 30000 7800000 host-permits
mutation one-epoch views-permits --without clear-permissions --property one-epoch
mutation one-epoch views-permits --without raise-clock --property one-epoch
mutation one-epoch views-permits --without count-users --property one-epoch
mutation one-epoch views-permits --without keep-debts --property one-epoch
mutation one-epoch views-permits --without enter-at-once --property one-epoch
mutation one-epoch views-permits --without keep-bounds --property one-epoch
mutation room-for-earlier views-permits --without order-by-birth --property room-for-earlier
mutation room-for-earlier views-permits --without keep-birth --property room-for-earlier
mutation one-epoch views-permits --without bound-all-seats --property one-epoch
mutation one-epoch views-permits --without defer-again --property one-epoch
mutation at-most-k views-permits --without hold-off --property at-most-k
mutation one-epoch views-permits --without numbered-messages --property one-epoch
mutation at-most-k views-permits --without stay-frozen --property at-most-k
mutation at-most-k views-permits --without freeze --property at-most-k
mutation at-most-k views-permits --without all-reports --property at-most-k
mutation fences-grow views-permits --without fence-by-view --property fences-grow
mutation fences-grow views-permits --without agreed-numbers --property fences-grow
mutation at-most-k views-permits --without cold-start --property at-most-k
mutation deadlock views-permits --without keep-ends --property deadlock
few='--permits 1 --max-request 1 --seats 1 --seat-units 1'
mutation at-most-k views-permits --without remember-missing --property at-most-k --expulsions 3 --sites 3 --founders 3 $few
mutation at-most-k views-permits --without report-adopted --property at-most-k --orphans --crashes 3 --restarts 3 --sites 2 $few
mutation at-most-k views-permits --without refuse-late --property at-most-k --orphans --crashes 3 --restarts 3 --sites 2 $few
