# Programs that are killed, in their section, while they wait, while they connect: who comes next is served, in the
# order in which it asked, and nothing is lost.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 3
start_all

hold first 1 --lock db,gpu
waiting=0
for waiter in 2:second 3:third 1:fourth; do
    ask "${waiter#*:}" "${waiter%:*}" --lock db
    waiting=$((waiting + 1))
    wait_until 10 "${waiter#*:} waits" waits_for db $waiting 1
done
kill -KILL "${asker[second]}"
wait_until 10 "second is forgotten" waits_for db 2 1
granted third && fail "third does not wait for first"
kill -KILL "${asker[first]}" "$(cat first.in)"
wait_until 10 "third is served after first was killed" granted third
granted fourth && fail "fourth is served before its turn"
let_go third
wait_until 10 "fourth is served" granted fourth
run 2 --lock gpu --timeout 10s -- true || fail "what first held besides is still held"
let_go fourth

# Permits, too.
hold both 2 --permit builds=2
ask next 3 --permit builds
wait_until 10 "next waits" waits_for builds 1 1
kill -KILL "${asker[both]}" "$(cat both.in)"
wait_until 10 "next gets a permit of who was killed" granted next
let_go next

# Whole crowds, killed at any moment, from their first connection on. They have a witness of their own, since
# whoever is killed inside cannot write there that it has left.
crowd 4 60 3
crowd_is_there 60
# kill_crowd NAME COMMAND...: starts another crowd, and kills it when the command has ended.
kill_crowd() {
    "$CROWD" "unreliable-$1" 30 60 4 $(all_sockets) >victim.out 2>&1 &
    local victim=$!
    started+=($victim)
    "${@:2}"
    kill -KILL $victim
    wait $victim 2>/dev/null
    [ $? -eq 137 ] || fail "the crowd ended before it was killed ($1): $(cat victim.out)"
}
kill_crowd connected wait_until 20 "the crowd that will be killed connects" has_sessions 120
for moment in 0.005 0.01 0.02 0.04 0.08 0.16 0.32 0.64; do kill_crowd $moment sleep $moment; done
crowd_ends
one_token_each lock{0..11}
