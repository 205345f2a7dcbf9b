# Two hosts, of which one keeps the register, and that one dies. The other host stops its command at the end of its lease,
# though the resource is still its own, says why nothing is granted, and serves again when the voter is back.
engine=hosts
networks=own
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }

agree $'lease = "3s"\ngrace = "500ms"'
configure 2
rm -f work.*
with_page 2
start_all
[[ "$("$ALLOT" cluster show --socket ./h2.sock)" == *'kept by h1'* ]] || fail "not h1 alone votes: $("$ALLOT" cluster show --socket ./h2.sock)"

# It notes every moment in which it runs, and does not stop when it is asked to.
"$ALLOT" run --socket ./h2.sock --lock a -- bash -c '
    trap "" TERM
    echo $ALLOT_FENCE >work.fence
    echo $$ >work.in
    while :; do date +%s%N >work.new; mv work.new work.last; sleep 0.01; done' 2>work.err &
worker=$!
started+=($worker)
wait_until 20 "the command at h2 works" test -s work.last
healthy || fail "h2 is not healthy: $(page /health)"
kill_machine 1
killed=$(now_ms)
wait_until 20 "the command is stopped" not_running "$(cat work.in)"
# The lease counts from the last question to the voter: a second before its death, or more on a busy machine.
[ $(($(now_ms) - killed)) -ge 1500 ] || fail "the command was stopped before the end of its lease: $(cat work.err)"
wait $worker
[ $? -eq 122 ] || fail "the wrapper does not say that the lease was lost: $(cat work.err)"
contains 'lost: the lease \(was not renewed in time\|of this host has ended\)' work.err || fail "another reason: $(cat work.err)"
for lock in a free; do
    run 2 --lock $lock --timeout 1s -- true 2>why.txt
    [ $? -eq 121 ] || fail "h2 grants without the voter"
    contains 'h1' why.txt || fail "allot run does not say why: $(cat why.txt)"
done
wait_until 20 "h2 says what is missing" says 2 'h1.* must answer'
not_healthy || fail "h2 says that it is healthy: $(page /health)"
start 1
run 2 --lock a,free --permit builds=2 --timeout 30s -- bash -c 'date +%s%N >work.next; echo $ALLOT_FENCE_a >work.later' ||
    fail "h2 does not serve when the voter is back: $(cat h2.log)"
[ "$(cat work.last)" -lt "$(cat work.next)" ] || fail "the command worked when its lock was given out"
[ "$(cat work.later)" -gt "$(cat work.fence)" ] || fail "the fence has not grown: $(cat work.fence), $(cat work.later)"
run 1 --lock a,free --permit builds=2 --timeout 30s -- true || fail "the voter does not serve when it is back"
wait_until 20 "h2 is healthy again" healthy
exit 0
