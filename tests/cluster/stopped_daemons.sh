# A daemon is stopped and goes on later (SIGSTOP, SIGCONT). If it is short, nothing is lost. If it is long, the others go
# on with its permits, and it notices before it gives out any: its holder is told that its permit is lost, and whoever
# waited there is served.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "4s"\nsilence = "2s"\nreturn_within = "3s"'
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
run 1 --permit builds=2 --timeout 30s -- bash -c "kill -0 $(cat doomed.in) 2>/dev/null && touch wrong; true" ||
    fail "the others do not get the permits of a host that is stopped"
[ ! -e wrong ] || fail "two used a permit"
granted waiting && fail "a daemon that is stopped has granted"
crowd 2 20 10 ./h1.sock ./h3.sock
kill -CONT "${process[2]}"
wait "${asker[doomed]}"
[ $? -eq 122 ] || fail "who held a permit at the stopped host was not told: $(cat doomed.err)"
wait_until 30 "who waited at h2 is served when it is back" granted waiting
let_go waiting
crowd_ends
one_token_each lock{0..11}
