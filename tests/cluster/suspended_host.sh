# A machine is suspended and wakes up later. By the clocks that most programs use no time has passed; but the lease of
# the host has ended, and what was held there may belong to others by now. Daemon and programs know it, each by itself.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "3s"'
within[1]="env LD_PRELOAD=$SUSPENSION SUSPENDED=./h1.suspended"
configure 3
rm -f ./*.suspended
start_all

# The daemon, and its guardian with it.
hold dozing 1 --lock db --permit builds
touch h1.suspended
wait_until 20 "dozing is told" not_running "${asker[dozing]}"
wait "${asker[dozing]}"
[ $? -eq 122 ] || fail "a daemon that was suspended believes in its lease: $(cat dozing.err)"
grep -q 'lost: the lease of this host has ended' dozing.err || fail "another reason: $(cat dozing.err)"
not_running "$(cat dozing.in)" || fail "the command goes on after the end of its lease"
run 1 --lock db --permit builds=2 --timeout 20s -- true || fail "h1 is not served once it is awake"

# A program.
export LD_PRELOAD=$SUSPENSION SUSPENDED=./h2.suspended
hold asleep 2 --lock db --permit builds
unset LD_PRELOAD SUSPENDED
touch h2.suspended
wait_until 20 "asleep notices" not_running "${asker[asleep]}"
wait "${asker[asleep]}"
[ $? -eq 122 ] || fail "a program that was suspended believes in its lease: $(cat asleep.err)"
grep -q 'the daemon does not answer' asleep.err || fail "another reason: $(cat asleep.err)"
for i in 1 2 3; do run $i --lock db --permit builds=2 --timeout 20s -- true || fail "h$i is not served in the end"; done
exit 0
