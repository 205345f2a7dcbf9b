# Who has a lock together with a permit loses the permit when its host is cut off. The lock is its own until it has
# stopped, or as long as its command runs if nobody is left to stop it.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

semaphores='single = 1'
detector=$'mode = "heartbeat"\nheartbeat = "100ms"\ndead_after = "1s"\nstop_within = "2s"'
for pair in 1,2 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done
configure 3
start_all
run 2 --permit single --timeout 20s -- true || fail "no permit in the beginning"

# It takes half a second to stop.
"$ALLOT" run --socket ./h2.sock --lock db --permit single --grace 1s -- \
    bash -c 'trap "sleep 0.5; exit" TERM; echo $$ >slow.in; while :; do sleep 0.05; done' 2>slow.err &
slow=$!
started+=($slow)
wait_until 20 "the first is granted" test -s slow.in
run 2 --lock db --timeout 40s -- bash -c "kill -0 $(cat slow.in) 2>/dev/null && touch wrong; true" &
next=$!
started+=($next)
wait_until 10 "the next waits" waits_for db 1 2
fault blackhole 1,2 2,3
wait $slow
[ $? -eq 122 ] || fail "who lost its permit was not told: $(cat slow.err)"
wait $next || fail "the lock was not given back"
[ ! -e wrong ] || fail "the lock was given away while its holder was told to stop"
fault heal
run 2 --permit single --timeout 30s -- true || fail "no permit once h2 is back"

# Nobody is left who would stop this one.
hold orphan 2 --lock db --permit single
kill -KILL "${asker[orphan]}"
fault blackhole 1,2 2,3
wait_until 10 "h2 loses its permits" contains 'permits held here are lost' h2.log
run 2 --lock db --timeout 4s -- true 2>/dev/null
[ $? -eq 121 ] || fail "the lock was given away while the command runs"
kill -KILL "$(cat orphan.in)"
run 2 --lock db --timeout 20s -- true || fail "the lock is not free when the command has ended"
exit 0
