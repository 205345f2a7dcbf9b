# A daemon that comes back after its host was removed, and a host that slept while another one died: neither lets a
# program go on, or begin, beside the next user of a lock.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

# It notes every moment in which it runs, and does not stop when it is asked to.
worker() { "$ALLOT" run --socket ./h2.sock --lock db -- \
    bash -c 'trap "" TERM; echo $$ >db.in; while :; do date +%s%N >db.new; mv db.new db.last; sleep 0.01; done' 2>db.err; }
begin() {
    configure 2
    rm -f ./*.last ./*.next
    start_all
    worker &
    wrapper=$!
    started+=($wrapper)
    wait_until 20 "the worker works" test -s db.last
    "$ALLOT" run --socket ./h1.sock --lock db --timeout 40s -- bash -c 'date +%s%N >db.next' &
    next=$!
    started+=($next)
    wait_until 10 "the next waits" waits_for db 1 1
}
is_first_stopped() {
    wait $next || fail "the lock is not given out"
    wait_until 20 "the worker is stopped" not_running "$(cat db.in)"
    [ "$(cat db.last)" -lt "$(cat db.next)" ] || fail "the worker ran beside the next user of its lock"
}

# The daemon and the wrapper are killed. The daemon is back when the others have removed its host.
agree $'lease = "3s"\ngrace = "1s"\nsilence = "1s"\nreturn_within = "1500ms"'
begin
kill_host 2
kill -KILL "$(pgrep -f 'run --socket ./h2.sock --lock db' | head -n 1)"
is_removed() { grep -q 'h2 was removed' <("$ALLOT" status --socket ./h1.sock 2>/dev/null); }
wait_until 20 "h2 is removed" is_removed
sleep 1 # a new lease would end after the hold-off
start 2
is_first_stopped
run 2 --lock db --timeout 20s -- true || fail "h2 is not served when it is back"
end_all

# h1 does not run for a while. Meanwhile the daemon of h2 and its guardian die, and the daemon comes back.
agree $'lease = "3s"\ngrace = "1s"\nsilence = "20s"\nreturn_within = "20s"'
begin
kill -STOP "${process[1]}"
sleep 6 # longer than a lease and a hold-off from its first question on
pkill -KILL -f "allot guardian --folder $PWD/h2 "
kill_host 2
start 2
kill -CONT "${process[1]}"
is_first_stopped
exit 0
