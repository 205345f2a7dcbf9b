# A daemon is killed, or stopped, and started again: the programs of its host notice nothing, and nobody else gets
# what they hold. All daemons at once, too.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree
semaphores='builds = 8'
configure 3
start_all
hold job 2 --lock db --permit builds=2
wait_until 20 "the guardian knows the job" is_guarded job 2
fence_of_job() { tr '\0' '\n' <"/proc/$(cat job.in)/environ" | grep '^ALLOT_FENCE_db='; }
before=$(fence_of_job)
process_before=$(cat job.in)

is_kept() {
    running "$process_before" || fail "the job was stopped: $(cat job.err)"
    run "$1" --lock db --timeout 500ms -- true 2>/dev/null
    [ $? -eq 121 ] || fail "h$1 gives out what the job holds"
    wait_until 20 "status shows the job at h2" shown_at_2 "$1"
}
shown_at_2() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q '^db  *holds  *h2'; }

kill_host 2
start 2
is_kept 2
is_kept 1

kill -TERM "${process[2]}"
wait_until 20 "h2 stops" not_running "${process[2]}"
start 2
is_kept 2
is_kept 3

for i in 1 2 3; do kill -KILL "${process[$i]}"; done
start_all
is_kept 1
is_kept 2
[ "$(fence_of_job)" = "$before" ] || fail "the fence of the job has changed"

# As many programs of a host hold permits as there are.
for n in 1 2 3 4 5 6; do hold "permit$n" 2 --permit builds; done
run 3 --permit builds --timeout 300ms -- true 2>/dev/null
[ $? -eq 121 ] || fail "there are more permits than 8"
let_go permit1
run 3 --permit builds --timeout 20s -- true || fail "a permit that was given back is not free"
let_go job
run 1 --lock db --timeout 20s -- true || fail "a lock that was given back is not free"

# The wrapper is killed, too: the command goes on, and keeps its lock until it ends.
hold orphan 2 --lock db
wait_until 20 "the guardian knows the orphan" is_guarded orphan 2
kill -KILL "${asker[orphan]}"
kill_host 2
start 2
run 1 --lock db --timeout 500ms -- true 2>/dev/null
[ $? -eq 121 ] || fail "the lock of a command was given out that lost its wrapper and its daemon"
kill -KILL "$(cat orphan.in)"
run 1 --lock db --timeout 20s -- true || fail "the lock is not free when the command has ended"
exit 0
