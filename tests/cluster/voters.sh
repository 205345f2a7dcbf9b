# The hosts keep the register themselves. The first start needs all voters once; every later one a majority of them.
# Without a majority the programs of a host have stopped when its lease ends, and it says what is missing.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }

agree $'lease = "3s"\ngrace = "500ms"'
configure 3
with_page 3
start 1
start 2
wait_until 20 "h1 says who is missing" says 1 'all voters have met once; h3 (.*:7403) is missing: start it'
wait_until 20 "the log of h1 says so" contains 'warning: nothing is granted here: .*; h3 (.*:7403) is missing: start it' h1.log
run 1 --lock a --timeout 500ms -- true 2>why.txt
[ $? -eq 121 ] || fail "a lock was given out before there is a register"
contains 'h3 (.*) is missing' why.txt || fail "allot run does not say why it waits: $(cat why.txt)"
start 3
for i in 1 2 3; do run $i --lock a,b --permit builds --timeout 20s -- true || fail "h$i is not served"; done

# All machines lose their power at once. Two of three come back, and later the third.
hold doomed 1 --lock a
fence=$(tr '\0' '\n' <"/proc/$(cat doomed.in)/environ" | sed -n 's/^ALLOT_FENCE=//p')
kill_machine 1 doomed
kill_machine 2
kill_machine 3
start 2
wait_until 20 "h2 says that it is alone" says 2 'a majority of the voters\|this host votes again when h1'
start 3
run 3 --lock a,b --permit builds --timeout 30s -- bash -c 'echo $ALLOT_FENCE_a >later' || fail "two of three hosts do not serve"
[ "$(cat later)" -gt "$fence" ] || fail "the fence has not grown: $fence, $(cat later)"
start 1
run 1 --lock a,b --permit builds --timeout 30s -- true || fail "h1 does not serve when it is back"

# A majority is lost: nothing is granted, and the command of the host that is left has stopped.
hold lonely 3 --lock a
library orphan 3 c
kill_machine 1
kill_machine 2
wait_until 20 "the command without a register is stopped" not_running "$(cat lonely.in)"
wait "${asker[lonely]}"
[ $? -eq 122 ] || fail "the wrapper does not say that the lease was lost: $(cat lonely.err)"
contains 'lost: the lease was not renewed in time (' lonely.err || fail "another reason: $(cat lonely.err)"
wait_until 20 "h3 says what is missing" says 3 'a majority of the voters (h1 and h2 and h3) must answer'
tell orphan
# The daemon says so, or the clock of the library does.
wait_until 20 "the library says why" \
    contains 'lost: .*\(its host did not reach the register in time\|the lease of this host has ended\)' orphan.out
wait_until 20 "the log of h3 says so" contains \
    'warning: nothing is granted here: a majority .* there is no link to h1 (.*:7401) and h2 (.*:7402): start them' h3.log
run 3 --lock b --timeout 1s -- true 2>/dev/null
[ $? -eq 121 ] || fail "a host without a majority grants"
page /health | grep -q '^HTTP.* 503' || fail "a host without a majority says that it is healthy: $(page /health)"
start 2
run 3 --lock a,b --timeout 30s -- true || fail "a majority does not serve"
page /health | grep -q '^ok' || fail "not healthy with a majority: $(page /health)"
exit 0
