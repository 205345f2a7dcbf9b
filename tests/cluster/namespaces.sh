# Three hosts with networks of their own, joined by a bridge, over TLS: a crowd does not notice that cables are pulled
# and put back. If a cable stays pulled, the command at that host has stopped before another host gets its lock. Skipped
# where this user may not make network namespaces. The engine `file` has no such test: its daemons share one kernel and
# one register file, so no cable can part them from it.
engine=hosts
networks=needed
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree
configure 3
start_all
crowd 4 60 13
crowd_is_there 60
for i in 2 1 3; do
    pull_cable $i
    sleep 0.3
    plug_in $i
    wait_until 10 "programs at all hosts get locks again" run $i --lock "mine$i" --timeout 10s -- true
done
crowd_ends
one_token_each lock{0..11}

# The cable of h3 is pulled for good. Its command notes every moment in which it runs, and does not stop when asked to.
rm -f far.*
"$ALLOT" run --socket ./h3.sock --lock far -- bash -c '
    trap "" TERM
    echo $ALLOT_FENCE >far.fence
    echo $$ >far.in
    while :; do date +%s%N >far.new; mv far.new far.last; sleep 0.01; done' 2>far.err &
far=$!
started+=($far)
wait_until 20 "the command at h3 works" test -s far.last
pull_cable 3
run 1 --lock far --timeout 30s -- bash -c 'date +%s%N >far.next; echo $ALLOT_FENCE >far.later' || fail "h1 does not get the lock of h3"
[ "$(cat far.last)" -lt "$(cat far.next)" ] || fail "the command at h3 worked when its lock was given out"
[ "$(cat far.later)" -gt "$(cat far.fence)" ] || fail "the fence has not grown: $(cat far.fence), $(cat far.later)"
wait $far
[ $? -eq 122 ] || fail "who held a lock at h3 was not told that it is lost: $(cat far.err)"
run 3 --lock free --timeout 1s -- true 2>why.txt
[ $? -eq 121 ] || fail "a host without a network grants"
contains 'a majority of the voters (h1 and h2 and h3) must answer' why.txt || fail "it does not say why: $(cat why.txt)"
run 2 --lock far,free --permit builds=2 --timeout 20s -- true || fail "h2 is not served while h3 has no network"
plug_in 3
run 3 --lock far,free --permit builds=2 --timeout 30s -- true || fail "h3 is not served when its cable is back"
exit 0
