# A command that holds a lock while its daemon is restarted in order: the command goes on and the lease with it; and
# if `allot run` is killed meanwhile, the lock stays held until the command has ended.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 2
start_all

busy() {
    run "$1" --lock "$2" --no-wait --patience 200ms -- touch wrong 2>/dev/null
    [ $? -eq 120 ] || fail "h$1 gets $2, which is in use"
}
fence_of() {
    "$ALLOT" status --json --socket ./h1.sock | grep -o "\"name\":\"$1\",\"kind\":\"lock\".*" | grep -o '"fence":"[1-9][0-9]*"' | head -n 1
}
sessions_are() {
    "$ALLOT" status --json --socket ./h1.sock | grep -qE "\"name\":\"h1\",\"state\":\"up\",\"incarnation\":[0-9]+,\"sessions\":$1,"
}

# --- `allot run` is there all the time.
hold goer 1 --lock kept
fence=$(fence_of kept)
stop 1
start 1
wait_until 20 "the program is back" sessions_are 2 # with the one who asks
running "$(cat goer.in)" || fail "the command was stopped: $(cat goer.err)"
[ -n "$fence" ] && [ "$(fence_of kept)" = "$fence" ] || fail "the fence was $fence and is $(fence_of kept)"
busy 1 kept
busy 2 kept
let_go goer
run 2 --lock kept --timeout 20s -- true || fail "the lock is not given back"

# killed_in_a_restart NAME: holds a lock; `allot run` is killed while the daemon is stopped, and the command goes on.
killed_in_a_restart() {
    hold "$1" 1 --lock "$1"
    stop 1
    kill -KILL "${asker[$1]}"
    wait "${asker[$1]}" 2>/dev/null
    running "$(cat "$1.in")" || fail "the command went with allot run"
}
finish() {
    timeout 20 bash -c "echo >$1.fifo" || fail "$1 does not use what it held any more"
    wait_until 20 "$1 ends" not_running "$(cat "$1.in")"
}

# --- Killed; the command ends after the daemon is back, and after the time in which programs may come back.
printf '[limits]\nresume_within = "1s"\n' >>h1.toml
killed_in_a_restart survivor
start 1
busy 1 survivor
ask next 2 --lock survivor
wait_until 20 "next waits" waits_for survivor 1 2
sleep 1.5 # resume_within is over then: only the command keeps the lock
granted next && fail "two use what survivor holds"
busy 1 survivor
finish survivor
wait_until 20 "next is served" granted next
let_go next

# --- Killed, and the command ends while the daemon is stopped.
killed_in_a_restart goner
finish goner
start 1
run 2 --lock goner --timeout 20s -- true || fail "what nobody uses any more is still held"

# --- A second restart, with nobody but the command left.
killed_in_a_restart orphan
start 1
stop 1
start 1
busy 2 orphan
finish orphan
run 2 --lock orphan --timeout 20s -- true || fail "what nobody uses any more is still held after two restarts"
[ ! -e wrong ] || fail "somebody ran who was not granted"
exit 0
