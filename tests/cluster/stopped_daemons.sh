# A daemon is stopped and goes on later (SIGSTOP, SIGCONT), where hosts judge each other by silence. If it is short,
# nothing is lost. If it is long, the others go on with its permits, and it notices before it gives out any: its
# holder is told that its permit is lost, and it takes part in a new life.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

detector=$'mode = "heartbeat"\nheartbeat = "100ms"\ndead_after = "2s"\nstop_within = "1s"'
configure 3
start_all

crowd 2 30 9
crowd_is_there 30
for i in 1 2 3; do
    kill -STOP "${process[$i]}"
    sleep 0.3
    kill -CONT "${process[$i]}"
done
crowd_ends

hold doomed 2 --permit builds
ask waiting 2 --permit builds=2
wait_until 10 "waiting waits" waits_for builds 1 1
kill -STOP "${process[2]}"
run 1 --permit builds=2 --timeout 20s -- true || fail "the others do not get the permits of a host that is stopped"
CROWD_LOCKS=0 crowd 2 20 10 ./h1.sock ./h3.sock
kill -CONT "${process[2]}"
wait "${asker[doomed]}"
[ $? -eq 122 ] || fail "who held a permit at the stopped host was not told: $(cat doomed.err)"
wait_until 10 'h2 ends its life' contains 'seat incarnation 1 begins' h2.log
wait_until 20 "who waited at h2 is served in its new life" granted waiting
let_go waiting
crowd_ends
one_token_each lock{0..11}
