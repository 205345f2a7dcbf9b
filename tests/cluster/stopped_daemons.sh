# A daemon is stopped and goes on later (SIGSTOP, SIGCONT). If it is short, nothing is lost. If it is long, the others go
# on with its permits, and it notices before it gives out any: its holder is told that its permit is lost, and whoever
# waited there is served. Daemons that stood still for less than the silence remove nobody for it.
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

# Two of three stand still for 0.6 of the silence: when they go on they have not heard each other either.
number_of_view() { "$ALLOT" cluster show --json --socket "./h$1.sock" | tr -d ' \n' | grep -o '"view":[0-9]*'; }
view=$(number_of_view 1)
for pair in '1 2' '1 3' '2 3'; do
    read -r i j <<<"$pair"
    kill -STOP "${process[$i]}" "${process[$j]}"
    sleep 1.2
    kill -CONT "${process[$i]}" "${process[$j]}"
    for i in 1 2 3; do run $i --lock "after$i" --timeout 20s -- true || fail "h$i does not serve after a short pause of $pair"; done
done
for i in 1 2 3; do
    [ "$(number_of_view $i)" = "$view" ] || fail "h$i: $(number_of_view $i) after short pauses, $view before: $(grep -h ' view ' h?.log)"
done

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
