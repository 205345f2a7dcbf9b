# Programs that use the library keep what they hold when their daemon is killed, or stopped, and started again. If they
# end meanwhile, others get it.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says_more_than() { [ "$(wc -l <"$1.out")" -gt "$2" ]; }
# holds NAME: it still does, and its fences are the same.
holds() {
    local lines
    lines=$(wc -l <"$1.out")
    tell "$1"
    wait_until 20 "$1 answers" says_more_than "$1" "$lines"
    [ "$(sort -u "$1.out" | wc -l)" -eq 1 ] || fail "$1 does not hold what it held: $(cat "$1.out")"
}
gives_back() {
    tell "$1" .
    wait "${asker[$1]}" || fail "$1 ended with exit code $?: $(cat "$1.out" "$1.err")"
}
nobody_gets() {
    run "$1" --lock "$2" --timeout 500ms -- true 2>/dev/null
    [ $? -eq 121 ] || fail "h$1 gives out $2, which is held"
}
terminate() {
    kill -TERM "${process[$1]}"
    wait_until 20 "h$1 stops" not_running "${process[$1]}"
}

semaphores='builds = 2'
configure 3
start_all
library job 2 db logs builds=1

for way in kill_host terminate kill_host; do
    $way 2
    start 2
    nobody_gets 1 db
    nobody_gets 2 logs
    run 3 --permit builds=2 --timeout 300ms -- true 2>/dev/null
    [ $? -eq 121 ] || fail "the permit of the job is given out"
    holds job
done

# The daemons of all hosts at once; and the guardian first, which keeps the notes of its daemon.
for i in 1 2 3; do kill -KILL "${process[$i]}"; done
start_all
holds job
nobody_gets 3 db
run 2 --lock spare --timeout 20s -- true || fail "the hosts do not go on together"
guardian_of() { pgrep -f "allot guardian --folder $PWD/h$1 "; }
before=$(guardian_of 2)
kill -KILL "$before"
has_another_guardian() { [ -n "$(guardian_of 2)" ] && [ "$(guardian_of 2)" != "$before" ]; }
wait_until 20 "there is another guardian" has_another_guardian
"$ALLOT" status --socket ./h2.sock >/dev/null || fail "h2 does not answer"
kill_host 2
start 2
holds job
nobody_gets 1 db
gives_back job
run 1 --lock db,logs --permit builds=2 --timeout 20s -- true || fail "what was given back is not free"

# The program ends while there is no daemon.
library victim 2 db builds=2
kill_host 2
"$ALLOT" run --socket ./h1.sock --lock db --permit builds=2 --timeout 40s -- \
    bash -c "kill -0 ${asker[victim]} 2>/dev/null && touch wrong; true" &
next=$!
started+=($next)
sleep 0.5 # the next waits
running $next || fail "the next does not wait for a program whose daemon is dead"
kill -KILL "${asker[victim]}"
wait "${asker[victim]}" 2>/dev/null
began=$(now_ms)
start 2
wait $next || fail "what the dead program held is not given out"
[ $(($(now_ms) - began)) -lt 6000 ] || fail "it took a lease until what the dead program held was given out"
[ ! -e wrong ] || fail "it was given out before the program had ended"

# Both live: the lock is free as soon as the program is dead, and not before.
library victim 2 db
kill_host 2
start 2
nobody_gets 1 db
kill -KILL "${asker[victim]}"
run 1 --lock db --timeout 20s -- true || fail "the lock of a dead program is not given out"

# Many programs, whose daemon is killed again and again: they notice nothing.
crowd 10 60 8
crowd_is_there 60
for n in 1 2 3 4 5; do
    kill_host 2
    start 2
    run 2 --lock "$n" --timeout 20s -- true || fail "h2 does not serve when it is back"
    sleep 0.5 # they go on
done
crowd_ends
one_token_each lock{0..11}
grep -h ' error: ' h2.log | grep -v 'the guardian has ended' && fail "h2 complains"
exit 0
