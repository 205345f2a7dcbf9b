# The disk of a host takes seconds for a write, just when a view begins. The host goes on: others hear it and do not remove it,
# its commands keep their leases, and it passes on what others ask for. Its own programs hear of new grants when the number
# of the view is on the disk.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "9s"\nsilence = "1s"\nreturn_within = "1s"\nvoters = ["h1", "h2", "h3"]'
configure 5
within[4]="env SLOW_WHILE=$PWD/slow LD_PRELOAD=$DISK_FAULTS"
rm -f slow
start_all
hold keeper 4 --lock kept
run 4 --lock passed,other -- true || fail "h4 is not served"
before=$(members 1)

touch slow
stop 5
wait_until 20 "h4 hears of the view without h5" members_are 4 h1,h2,h3,h4
run 1 --lock passed --timeout 20s -- true || fail "h4 does not pass on what it had while its disk is slow"
ask waiter 4 --lock other
sleep 3 # three times the silence after which a host is removed
members_are 1 h1,h2,h3,h4 || fail "h4 was removed because its disk is slow: $(members 1), before $before"
granted waiter && fail "h4 grants in a view whose number is not on the disk"
running "$(cat keeper.in)" || fail "the command of h4 was stopped because its disk is slow"
rm slow
wait_until 20 "h4 grants when its disk has written" granted waiter
let_go waiter
let_go keeper
exit 0
