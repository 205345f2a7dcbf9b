# All daemons are killed at once: nobody is left who takes part in a semaphore and could take the others in. Whoever
# asks is told so, and what to do; with --fresh all begins anew.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

detector=$'heartbeat = "100ms"\ndead_after = "1s"\nstop_within = "500ms"'
configure 3
with_page 1
start_all
run 1 --lock db --permit builds=2 --timeout 20s -- true || fail "no permits"
page /health | grep -q '^ok' || fail "not healthy: $(page /health)"
for i in 1 2 3; do kill -KILL "${process[$i]}"; done
for i in 1 2 3; do wait "${process[$i]}" 2>/dev/null; done

# One is missing, and might know more.
start 1
start 2
ask early 1 --permit builds
shows() { "$ALLOT" status --socket "./h$1.sock" | grep -q "^builds .*$2"; }
wait_until 20 "h1 says for whom it waits" shows 1 'if h3 cannot come back'
run 2 --permit builds --timeout 2s -- true 2>/dev/null
[ $? -eq 121 ] || fail "h2 does not wait for h3, which might take part"

start 3
wait_until 20 "who waited is told" not_running "${asker[early]}"
wait "${asker[early]}"
[ $? -eq 119 ] || fail "who waited was not refused: $(cat early.err)"
grep -q 'no host takes part in it any more.*--fresh' early.err || fail "another reason: $(cat early.err)"
for i in 1 2 3; do
    wait_until 20 "h$i refuses with the reason" contains 'semaphore builds: no host takes part in it any more' "h$i.log"
    run $i --permit builds -- true 2>err.txt
    [ $? -eq 119 ] || fail "h$i: $(cat err.txt)"
    grep -q 'then start each with --fresh' err.txt || fail "h$i does not say what to do: $(cat err.txt)"
    shows $i 'no host takes part' || fail "h$i does not show it"
done
"$ALLOT" status --json --socket ./h2.sock | grep -q '"state":"closed"' || fail "not in JSON"
page /health | grep -q '503' || fail "healthy: $(page /health)"

for i in 1 2 3; do stop $i; done
start_all --fresh
for i in 1 2 3; do run $i --lock db --permit builds=2 --timeout 20s -- true || fail "h$i: nothing works after --fresh"; done
page /health | grep -q '^ok' || fail "not healthy after --fresh: $(page /health)"
exit 0
