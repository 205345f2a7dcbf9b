# A machine dies that holds locks and permits. What it held goes to the next, with a larger fence and not before its
# lease has ended; locks held elsewhere are not disturbed. When it is back it takes part as before.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

fence() { "$ALLOT" status --json --socket "./h$2.sock" | tr '{' '\n' | grep "\"host\":\"h$3\"" | sed -n 's/.*"fence":"\([0-9]*\)".*/\1/p' | head -n 1; }

agree $'lease = "3s"'
semaphores='builds = 2'
configure 3
start_all
hold doomed 3 --lock a,b --permit builds=2
fence_before=$(fence a 1 3)
hold steady 1 --lock elsewhere
ask first 1 --lock a
wait_until 10 "the first waits" waits_for a 1 1
ask second 2 --lock b --permit builds=2
wait_until 10 "the second waits" waits_for b 1 2
kill_machine 3 doomed
killed=$(now_ms)
"$ALLOT" status --socket ./h1.sock >status.txt
grep -q '^a  *lock  *? of 1  *1 ' status.txt || fail "status does not say that it knows no holder: $(cat status.txt)"
"$ALLOT" run --socket ./h2.sock --lock other --timeout 20s -- true || fail "a free lock is not given while h3 is missed"
granted first && fail "a lock of the dead machine is given out though its lease has not ended"
explains() { "$ALLOT" status --socket ./h1.sock 2>/dev/null | grep -q 'h3 was removed; what its programs held is free in'; }
wait_until 20 "status says why they wait" explains
wait_until 20 "who waits is told why" contains 'waits: lock a: h3 was removed; what its programs held is free in' first.err
wait_until 30 "the first gets the lock of the dead machine" granted first
[ $(($(now_ms) - killed)) -ge 3000 ] || fail "a lock was given out before the lease of its host had ended"
wait_until 30 "the second gets what it waits for" granted second
fence_after=$(fence a 1 1)
[ "$fence_after" -gt "$fence_before" ] || fail "the fence has not grown: $fence_before, $fence_after"
running "$(cat steady.in)" || fail "a program of another host was stopped"
let_go first
let_go second
start 3
run 3 --lock a,b,other --permit builds=2 --timeout 30s -- true || fail "h3 is not served when it is back"
let_go steady
run 3 --lock elsewhere --timeout 30s -- true || fail "h3 does not get a lock of h1"
for one in 1 2; do
    "$ALLOT" status --socket "./h$one.sock" >status.txt
    [ "$(grep -c '^h[123] .* up ' status.txt)" -eq 3 ] || fail "h$one does not see all hosts: $(cat status.txt)"
done
exit 0
