# A command leaves a process behind that has a session of its own and is no descendant of anybody who is known: its parent has
# ended, and so has the wrapper. It has stopped before another host gets the lock all the same, as it is in the control group
# of the command. Skipped where this user may not make control groups.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

groups=$(awk '/ - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
if [ -z "$groups" ] || ! mkdir "$groups/allot-test-$$" 2>why.txt; then
    echo "skipped: no control groups here: $(cat why.txt 2>/dev/null)"
    exit 77
fi
rmdir "$groups/allot-test-$$"

agree $'lease = "2s"\ngrace = "500ms"\nsilence = "1s"'
configure 3
rm -f one.last one.next command.txt
start_all

cat >leaves <<'END'
(setsid bash -c 'echo $$ >one.in; while :; do date +%s%N >one.new; mv one.new one.last; sleep 0.01; done' &)
echo $$ >command.txt
exec sleep 1000
END
"$ALLOT" run --socket ./h2.sock --lock one -- bash leaves 2>run.err &
wrapper=$!
started+=($wrapper)
wait_until 20 "the process that is left behind works" test -s one.last
wait_until 20 "the command runs" test -s command.txt
group=$(sed -n 's/^0:://p' "/proc/$(cat command.txt)/cgroup")
[[ $group == */allot-$(cat command.txt) ]] || fail "the command has no group of its own: $group"
kill -KILL "$wrapper"
is_alone() { [ "$(awk '/^PPid:/ { print $2 }' "/proc/$(cat one.in)/status")" -eq 1 ]; }
wait_until 20 "nobody knows the parent of what is left behind" is_alone
kill -STOP "${process[2]}"
run 1 --lock one --timeout 30s -- bash -c "date +%s%N >one.next" || fail "the lock of the stopped host is not given out"
not_running "$(cat one.in)" || fail "what the command left behind still runs when the lock is given out"
[ "$(cat one.last)" -lt "$(cat one.next)" ] || fail "it worked when the lock was given out"
kill -CONT "${process[2]}"
[ ! -e "$groups$group" ] || fail "the group of the command is still there"

# A command that ends leaves no group behind.
run 2 --lock two --timeout 30s -- bash -c 'sed -n "s/^0:://p" /proc/self/cgroup >group.txt' || fail "h2 is not served when it is back"
[[ $(cat group.txt) == */allot-* ]] || fail "the next command has no group: $(cat group.txt)"
[ ! -e "$groups$(cat group.txt)" ] || fail "its group is still there"
exit 0
