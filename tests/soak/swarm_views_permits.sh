# Random runs of permits with agreed views, on up to seven hosts; and each rule that is switched off is found. Where a flag fixes
# something, the defect is rare among all runs that are drawn.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
clean 100000 14500000 views-permits
clean 50000 13000000 host-permits
finds one-epoch 20000 views-permits --without clear-permissions
finds one-epoch 20000 views-permits --without raise-clock
finds one-epoch 20000 views-permits --without count-users
finds one-epoch 20000 views-permits --without keep-debts
finds one-epoch 20000 views-permits --without enter-at-once
finds one-epoch 20000 views-permits --without keep-bounds
finds room-for-earlier 20000 views-permits --without order-by-birth
finds room-for-earlier 20000 views-permits --without keep-birth
finds one-epoch 20000 views-permits --without bound-all-seats
finds one-epoch 20000 views-permits --without defer-again
finds at-most-k 20000 views-permits --without hold-off --property at-most-k
finds one-epoch 20000 views-permits --without numbered-messages
finds at-most-k 20000 views-permits --without stay-frozen --property at-most-k
finds at-most-k 20000 views-permits --without freeze --property at-most-k
finds at-most-k 20000 views-permits --without all-reports --property at-most-k
finds fences-grow 20000 views-permits --without fence-by-view
finds fences-grow 20000 views-permits --without agreed-numbers
finds at-most-k 20000 views-permits --without cold-start --property at-most-k
finds deadlock 20000 views-permits --without keep-ends --property deadlock
few='--permits 1 --max-request 1 --seats 1 --seat-units 1'
finds at-most-k 20000 views-permits --without remember-missing --property at-most-k --expulsions 3 --sites 3 --founders 3 $few
finds at-most-k 20000 views-permits --without report-adopted --orphans --crashes 3 --restarts 3 --sites 2 $few
finds at-most-k 20000 views-permits --without refuse-late --property at-most-k --orphans --crashes 3 --restarts 3 --sites 2 $few
