# `allot release --force`, and the daemon of the holder is killed before the holder has given the lock back: the next
# daemon does not forget the order.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "3s"\ngrace = "500ms"\nsilence = "3s"\nreturn_within = "4500ms"'
configure 2
rm -f audit db.* logs.*
printf '[audit]\nfile = "audit"\n' >>h1.toml
start_all

# force_and_restart LOCK: the order is given; then the daemon is killed, and another one is started.
force_and_restart() {
    timeout 50 "$ALLOT" release --socket ./h2.sock --force "$1" >"$1.released" 2>&1 &
    started+=($!)
    wait_until 20 "$1 is $2" "${@:3}"
    kill_host 1
    start 1
}
next_gets() { run 2 --lock "$1" --timeout 30s -- bash -c "date +%s%N >$1.next" || fail "$1 is not free: $(cat "$1.released")"; }

# --- A command that does not hear SIGTERM, and whose wrapper is stopped: the guardian kills it, daemon or not.
"$ALLOT" run --socket ./h1.sock --lock db -- \
    bash -c 'trap "touch db.asked" TERM; echo $$ >db.in; while :; do date +%s%N >db.new; mv db.new db.last; sleep 0.01; done' \
    2>/dev/null &
wrapper=$!
started+=($!)
wait_until 20 "the command works" test -s db.last
wait_until 20 "the guardian keeps its lease" is_guarded db 1
kill -STOP $wrapper
force_and_restart db "to be given back" test -e db.asked
next_gets db
[ "$(cat db.last)" -lt "$(cat db.next)" ] || fail "the command ran beside the next user of its lock"
kill -KILL $wrapper

# --- A program that nobody can stop.
library program 1 logs
is_told() {
    tell program
    contains '^lost: .*ordered its release' program.out
}
force_and_restart logs "lost" is_told
next_gets logs
for name in db logs; do
    contains "\"event\":\"lost\".*\"name\":\"$name\".*ordered its release" audit || fail "the log does not say why $name was lost: $(cat audit)"
done
exit 0
