# `allot run` and `allot status` with a real daemon: exit codes, fences, signals, and what becomes of the lease.
set -u
. "$ALLOT_SOURCE_DIR/tests/support/node.sh"
passed=0
failed=0
rm -f child.pid grandchild.pid end signals wrong

check() {
    local what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $what"; fi
}

# exits CODE ARGUMENTS...: `allot run` with these ends with this code.
exits() {
    local wanted=$1
    shift
    timeout --foreground 60 "$ALLOT" run "$@" >out.txt 2>err.txt
    local code=$?
    check "allot run $*: exit code $code, wanted $wanted; said: $(cat err.txt)" [ $code -eq "$wanted" ]
}

said() { check "err.txt should have: $1; it has: $(cat err.txt)" grep -qF -- "$1" err.txt; }

# A child that says that it runs, and then waits until the file `end` is there.
cat >child <<'SH'
#!/bin/bash
trap 'echo USR1 >>signals' USR1
trap 'echo HUP >>signals' HUP
trap 'echo INT >>signals' INT
echo $$ >child.pid
until [ -e end ]; do sleep 0.01; done
exit 7
SH
chmod +x child

# start_holder ARGUMENTS...: runs the child in the background. Job control gives it a process group of its own, whose parent is
# this shell: the kernel discards SIGTSTP in a group whose parents are all gone, and such is the group of a shell that cron or
# `setsid nohup` starts. No signal is ignored there, whatever bash and nohup ignore.
start_holder() {
    rm -f child.pid end signals
    set -m
    env --default-signal "$ALLOT" run "$@" -- ./child 2>holder.txt &
    holder=$!
    set +m
    eventually [ -s child.pid ] || { cat holder.txt; exit 1; }
    child=$(cat child.pid)
}

# ends_with CODE: the holder of start_holder does.
ends_with() {
    wait "$holder" 2>/dev/null
    local code=$?
    check "the holder ended with $code, wanted $1; said: $(cat holder.txt)" [ $code -eq "$1" ]
}

write_config
start_node

# --- The command's own code.
exits 0 --lock db -- true
exits 1 --lock db -- false
exits 42 --lock db -- sh -c 'exit 42'
exits 143 --lock db -- sh -c 'kill -TERM $$'
exits 127 --lock db -- ./no-such-command
exits 126 --lock db -- ./node.toml
exits 0 --lock db -- test -- = --
exits 0 --lock db -- test '' = ''

# --- What it is told.
exits 0 --lock db --permit builds=2 --lock gpu-0 -- env
for variable in ALLOT_FENCE_db ALLOT_FENCE_gpu_0 ALLOT_FENCE_builds; do
    check "$variable is a number" grep -qE "^$variable=[0-9]+$" out.txt
done
check 'ALLOT_HELD lists all' grep -qE '^ALLOT_HELD=db=[0-9]+,gpu-0=[0-9]+,builds=[0-9]+$' out.txt
check 'no ALLOT_FENCE for several' eval '! grep -q ^ALLOT_FENCE= out.txt'
first=$(sed -n 's/^ALLOT_FENCE_db=//p' out.txt)
exits 0 --lock db -- env
second=$(sed -n 's/^ALLOT_FENCE=//p' out.txt)
check "the fence grows: $first, then $second" [ "$second" -gt "$first" ]
exits 0 --lock a-b,a_b -- env
check 'two names with one variable: both are held' grep -qE '^ALLOT_HELD=a-b=[0-9]+,a_b=[0-9]+$' out.txt
check 'and the variable is not there' eval '! grep -q ^ALLOT_FENCE_a_b out.txt'

# --- Refused.
exits 2 --permit undeclared -- true
exits 2 --permit builds=3 -- true

# --- Busy, and too late.
start_holder --lock db,gpu0
exits 120 --lock gpu0 --no-wait -- touch wrong
said 'busy: not granted within 20ms'
exits 120 --lock gpu0 --no-wait --patience 100ms -- touch wrong
exits 121 --lock gpu0 --timeout 50ms -- touch wrong
said 'timed out'
exits 0 --lock net --no-wait --patience 10s -- true
"$ALLOT" run --lock db -- true 2>waiter.txt &
waiter=$!
"$ALLOT" run --lock db,gpu0 --timeout 4s -- touch wrong 2>bounded.txt &
bounded=$!
waits() { "$ALLOT" status | grep -q 'waits for db'; }
check 'status shows who waits' eventually waits
"$ALLOT" status --json >status.json
check 'JSON names the holder' grep -q '"command":"./child"' status.json
too_wide() { script -qec "stty cols $1; '$ALLOT' status" /dev/null </dev/null | tr -d '\r' | sed 's/…/./g' | awk "length > $1"; }
check "status fits a terminal: $(too_wide 76)" [ -z "$(too_wide 76)" ]
check 'and its process' grep -qE "\"pid\":($holder|$child)," status.json

# --- A program that waits says why, once, with a time limit or without one.
wait $bounded
check "too late after a while: $?, wanted 121" [ $? -eq 121 ]
says_who="lock db is held on host alpha by process $holder (./child)"
check "it says who holds: $(cat bounded.txt)" [ "$(cat bounded.txt)" = "\
allot: waits: $says_who; \`allot status\` shows who waits, \`allot release --force db\` ends the holder
allot: timed out: not granted within 4s; $says_who" ]
check "and so does who waits without a limit: $(cat waiter.txt)" \
    [ "$(cat waiter.txt)" = "$(head -n 1 bounded.txt)" ]

# --- Signals are passed on.
kill -USR1 $holder
check 'USR1 is passed on' eventually grep -qs USR1 signals
kill -HUP $holder
check 'HUP is passed on' eventually grep -qs HUP signals
kill -INT $holder
check 'INT is passed on' eventually grep -qs INT signals
kill -TSTP $holder
stopped() { grep -q '^State:.*T' "/proc/$1/status"; }
check 'the child is stopped' eventually stopped "$child"
check 'and so is who runs it' eventually stopped "$holder"
kill -CONT $holder
running() { grep -q '^State:.*[RS]' "/proc/$1/status"; }
check 'the child goes on' eventually running "$child"
touch end
ends_with 7
check "each came once: $(echo $(<signals))" [ "$(echo $(<signals))" = 'USR1 HUP INT' ]
wait $waiter
check 'who waited ran then' [ $? -eq 0 ]

start_holder --lock db
kill -TERM $holder
ends_with 143

# --- The lease lasts as long as the child, not as long as who runs it.
start_holder --lock db
kill -9 $holder
wait $holder 2>/dev/null
check 'the child is still there' kill -0 "$child"
exits 120 --lock db --no-wait --patience 200ms -- touch wrong
touch end
exits 0 --lock db --timeout 30s -- true

# --- A daemon that is stopped.
kill -STOP $node
exits 121 --lock db --timeout 100ms -- touch wrong
exits 120 --lock db --no-wait -- touch wrong
exits 123 --lock db -- touch wrong
said 'the daemon does not answer'
kill -CONT $node
exits 0 --lock db --timeout 30s -- true
start_holder --lock db
rm -f err.txt
"$ALLOT" run --lock db --timeout 1s -- touch wrong 2>err.txt &
waiter=$!
check 'the next one waits' eventually waits
kill -STOP $node
wait $waiter
check "waiting for a daemon that was stopped meanwhile: $?, wanted 121" [ $? -eq 121 ]
check 'a lock is not lost by that' kill -0 "$child"
kill -CONT $node
touch end
ends_with 7

# --- With permits it is: the command is stopped, and only then is it said.
start_holder --permit builds --grace 50ms
kill -STOP $node
ends_with 122
check 'the child was stopped' eval '! kill -0 $child 2>/dev/null'
kill -CONT $node

# --- A daemon that is killed. What the child started is stopped with it, and who ignores SIGTERM is killed.
cat >stubborn <<'SH'
#!/bin/bash
trap '' TERM
echo $$ >child.pid
sleep 1000 &
echo $! >grandchild.pid
while true; do sleep 0.01; done
SH
chmod +x stubborn
rm -f child.pid grandchild.pid
"$ALLOT" run --lock db --grace 50ms --resume-within 100ms -- ./stubborn 2>holder.txt &
holder=$!
eventually [ -s grandchild.pid ] || { cat holder.txt; exit 1; }
check 'the child and its child run' kill -0 "$(cat child.pid)" "$(cat grandchild.pid)"
end_node KILL
ends_with 122
check 'the reason is said' grep -q '^allot: lost: .*; ./stubborn was stopped$' holder.txt
check 'the child is gone' eval '! kill -0 $(cat child.pid) 2>/dev/null'
check 'and the child of the child' eval '! kill -0 $(cat grandchild.pid) 2>/dev/null'
exits 123 --lock db -- touch wrong
said 'no daemon can be reached there'
"$ALLOT" status >out.txt 2>err.txt
check "status without a daemon: $?, wanted 123" [ $? -eq 123 ]
check 'in one line' [ "$(cat out.txt err.txt | wc -l)" -eq 1 ]

# --- A daemon that is restarted in order: the command goes on.
start_node
start_holder --lock db
end_node TERM
start_node
exits 120 --lock db --no-wait --patience 200ms -- touch wrong
check 'the child is still there' kill -0 "$child"
touch end
ends_with 7
exits 0 --lock db --timeout 30s -- true

check 'nobody ran without being granted' [ ! -e wrong ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
