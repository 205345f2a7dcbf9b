# The disk of a host takes seconds for a write, just when a view begins. The host goes on: others hear it and do not remove it,
# its commands keep their leases, and it passes on what others ask for. Its own programs hear of new grants when the number
# of the view is on the disk. The same is true for a full disk, and the host says so.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
. "$ALLOT_SOURCE_DIR/tests/support/faults.sh"

agree $'lease = "9s"\nsilence = "1s"\nreturn_within = "1s"\nvoters = ["h1", "h2", "h3"]'
configure 5
with_disk_faults 4
slow_disk_ends 4
full_disk_ends 4
start_all
hold keeper 4 --lock kept
run 4 --lock passed,other -- true || fail "h4 is not served"

slow_disk_begins 4
stop 5
wait_until 20 "h4 hears of the view without h5" members_are 4 h1,h2,h3,h4
run 1 --lock passed --timeout 20s -- true || fail "h4 does not pass on what it had while its disk is slow"
ask waiter 4 --lock other --resume-within 500ms
sleep 3 # three times the silence after which a host is removed
members_are 1 h1,h2,h3,h4 || fail "h4 was removed because its disk is slow: $(members 1)"
granted waiter && fail "h4 grants in a view whose number is not on the disk"
running "${asker[waiter]}" || fail "a program that waits for the disk of h4 takes its daemon for dead: $(cat waiter.err)"
running "$(cat keeper.in)" || fail "the command of h4 was stopped because its disk is slow"
slow_disk_ends 4
wait_until 20 "h4 grants when its disk has written" granted waiter
let_go waiter

says_why() { "$ALLOT" status --socket ./h4.sock 2>/dev/null | grep -q 'cannot write what must survive a crash: .*No space left'; }
full_disk_begins 4
start 5
wait_until 20 "h4 hears of the view with h5" members_are 4 h1,h2,h3,h4,h5
ask waiter 4 --lock other
wait_until 20 "h4 says that its disk is full" says_why
run 1 --lock passed --timeout 20s -- true || fail "h4 does not pass on what it had while its disk is full"
granted waiter && fail "h4 grants in a view whose number is not on its full disk"
full_disk_ends 4
wait_until 20 "h4 grants when there is room" granted waiter
let_go waiter
let_go keeper
exit 0
