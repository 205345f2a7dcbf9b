# A host that hangs: its daemon is stopped, or its daemon and the wrapper of a command. The command has ended before
# another host gets its lock.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "2s"\ngrace = "500ms"\nsilence = "1s"'
configure 3
rm -f ./*.last ./*.next
start_all

# It notes every moment in which it runs.
worker() { "$ALLOT" run --socket ./h2.sock --lock "$1" -- \
    bash -c "trap '' TERM; echo \$\$ >$1.in; while :; do date +%s%N >$1.new; mv $1.new $1.last; sleep 0.01; done" 2>"$1.err"; }
is_first_stopped() {
    run 1 --lock "$1" --timeout 30s -- bash -c "date +%s%N >$1.next; grep -qs '^State:.[RSDT]' /proc/$(cat "$1.in")/status && touch wrong; true" ||
        fail "the lock of the stopped host is not given out"
    [ ! -e wrong ] || fail "$1: the command still ran when its lock was given out"
    [ "$(cat "$1.last")" -lt "$(cat "$1.next")" ] || fail "$1: the command worked when its lock was given out"
}

worker one &
wrapper=$!
started+=($wrapper)
wait_until 20 "one works" test -s one.last
kill -STOP "${process[2]}"
is_first_stopped one
wait $wrapper
[ $? -eq 122 ] || fail "the wrapper does not say that the lease was lost: $(cat one.err)"
kill -CONT "${process[2]}"
run 2 --lock one --timeout 30s -- true || fail "h2 is not served when it is back"

worker two &
started+=($!)
wait_until 20 "two works" test -s two.last
wrapper=$(pgrep -f 'run --socket ./h2.sock --lock two' | head -n 1)
kill -STOP "$wrapper" "${process[2]}"
is_first_stopped two
kill -CONT "$wrapper" "${process[2]}"
run 2 --lock two --timeout 30s -- true || fail "h2 is not served when it is back again"

# Only the wrapper is stopped: the daemon goes on, and so does the command.
worker three &
started+=($!)
wait_until 20 "three works" test -s three.last
wrapper=$(pgrep -f 'run --socket ./h2.sock --lock three' | head -n 1)
kill -STOP "$wrapper"
run 1 --lock three --timeout 3s -- true 2>/dev/null
[ $? -eq 121 ] || fail "the lock of a command was given out because its wrapper is stopped"
kill -CONT "$wrapper"
running "$(cat three.in)" || fail "a command was stopped because its wrapper was"
exit 0
