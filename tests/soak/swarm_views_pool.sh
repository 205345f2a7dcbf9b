# Random runs of a pool with agreed views, on up to seven hosts; and rules that are switched off are found. The others are left
# to the checker (ViewsPoolHolds and WrongPool).
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
clean 30000 - views-pool --seed 2
clean 30000 - host-pool
mutation at-most-l views-pool --without make-unused --property at-most-l
mutation no-surplus views-pool --without count-own-users --property no-surplus
mutation no-surplus views-pool --without fresh-number --property no-surplus
mutation one-epoch views-pool --without ask-beside-users --property one-epoch
