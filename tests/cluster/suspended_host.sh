# A machine is suspended and wakes up later. By the clocks that most programs use no time has passed; but permits that
# were held there may belong to others by now, and daemon and programs know it, each by itself.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

detector=$'mode = "heartbeat"\nheartbeat = "100ms"\ndead_after = "2s"\nstop_within = "1s"'
within[1]="env LD_PRELOAD=$SUSPENSION SUSPENDED=./h1.suspended"
configure 3
start_all

# The daemon.
hold dozing 1 --permit builds
touch h1.suspended
wait_until 20 "dozing is told" not_running "${asker[dozing]}"
wait "${asker[dozing]}"
[ $? -eq 122 ] || fail "a daemon that was suspended believes in its permits: $(cat dozing.err)"
grep -q 'no majority of the hosts answers' dozing.err || fail "another reason: $(cat dozing.err)"
run 1 --permit builds=2 --timeout 20s -- true || fail "h1 gets no permits once it is awake"

# A program.
export LD_PRELOAD=$SUSPENSION SUSPENDED=./h2.suspended
hold asleep 2 --permit builds
unset LD_PRELOAD SUSPENDED
touch h2.suspended
wait_until 20 "asleep notices" not_running "${asker[asleep]}"
wait "${asker[asleep]}"
[ $? -eq 122 ] || fail "a program that was suspended believes in its permits: $(cat asleep.err)"
grep -q 'the daemon does not answer' asleep.err || fail "another reason: $(cat asleep.err)"
