# The daemon of a host is killed. Its permits go to the others, its locks are lost with it and `allot status` says so.
# Started again, it takes part in semaphores with a new life, and refuses locks with the reason.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

detector=$'heartbeat = "100ms"\ndead_after = "1s"\nstop_within = "1s"'
configure 3
start_all
hold doomed 3 --lock db --permit builds=2
ask next 1 --permit builds=2
wait_until 10 "next waits" waits_for builds 1 1
ask stranded 2 --lock db
wait_until 10 "stranded waits" waits_for db 1 1
kill_host 3
wait_until 20 "next gets the permits of the lost host" granted next
contains ' warning: host h3: the process of incarnation .* has ended' h1.log || fail "h1 does not know that the daemon ended"
wait "${asker[doomed]}"
[ $? -eq 122 ] || fail "who held permits at the lost host was not told that they are lost: $(cat doomed.err)"

lost_is_shown() {
    "$ALLOT" status --socket "./h$1.sock" >status.txt
    grep -q 'h3  *lost' status.txt && grep -q 'db .*lock .*h3' status.txt
}
wait_until 10 "h1 shows what was lost with h3" lost_is_shown 1
wait_until 10 "h2 shows what was lost with h3" lost_is_shown 2
granted stranded && fail "a lock of a lost host is given out again"

start 3
run 3 --lock db --timeout 5s -- true 2>refusal.txt
[ $? -eq 119 ] || fail "a host that has lost its locks gives out one"
grep -q 'ended without saving its state' refusal.txt || fail "no reason: $(cat refusal.txt)"
run 3 --permit builds=2 --no-wait -- true 2>/dev/null
[ $? -eq 120 ] || fail "h3 gets permits that next holds"
let_go next
run 3 --permit builds=2 --timeout 20s -- true || fail "h3 gets no permits in its new life"

# It still knows after a restart in order.
stop 3
start 3
run 3 --lock db --timeout 5s -- true 2>refusal.txt
[ $? -eq 119 ] || fail "after a restart in order locks are not refused any more: $(cat refusal.txt)"
run 3 --permit builds=2 --timeout 20s -- true || fail "h3 gets no permits after a restart in order"
run 1 --permit builds=2 --timeout 20s -- true || fail "h1 gets no permits"
kill -KILL "${asker[stranded]}"

# A host that was stopped in order, and stays away, does not keep its permits either.
hold absent 3 --permit builds=2
stop 3
run 1 --permit builds=2 --timeout 20s -- true || fail "a host that stays away keeps its permits"
wait "${asker[absent]}"
[ $? -eq 122 ] || fail "who held permits there was not told that they are lost: $(cat absent.err)"
start 3
run 3 --permit builds=2 --timeout 20s -- true || fail "h3 gets no permits when it is back"
