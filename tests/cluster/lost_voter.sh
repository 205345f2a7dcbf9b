# A voter is lost with its disk and does not come back: an operator chooses another host instead of it. Then one more voter
# may be lost. The former voter may come back later, and does not vote.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

voters() { "$ALLOT" cluster show --json --socket "./h$1.sock" | tr -d ' \n' | sed 's/.*"voters":\[\([^]]*\)\].*/\1/; s/"//g'; }
voters_are() { [ "$(voters "$1")" = "$2" ]; }

agree $'lease = "3s"\nsilence = "1s"'
configure 4
start_all
wait_until 20 "three of four hosts keep the register" voters_are 4 h1,h2,h3
run 4 --lock a,b --permit builds --timeout 20s -- true || fail "h4 does not serve"
hold patient 1 --lock kept

kill_machine 3
rm -rf h3
order=$("$ALLOT" cluster voters h1,h2,h4 --socket ./h1.sock 2>&1)
[[ $order == *'voters: as many as the hosts need -> h1, h2, h4'* ]] || fail "h4 is not chosen: $order"
for i in 1 2 4; do wait_until 20 "h$i knows the new voters" voters_are $i h1,h2,h4; done
running "$(cat patient.in)" || fail "a program was stopped meanwhile: $(cat patient.err)"

# h4 votes: without it, h1 would be alone.
kill_machine 2
run 4 --lock a --timeout 30s -- true || fail "h4 does not serve: $(tail -n 3 h4.log)"
run 1 --lock b --timeout 30s -- true || fail "h1 does not serve: $(tail -n 3 h1.log)"
running "$(cat patient.in)" || fail "the program of a host with two of three voters was stopped: $(cat patient.err)"

newcomer 3
joined=$(join 3 1)
[[ $joined == *'host h3 is in the cluster of'* ]] || fail "h3 does not join again: $joined"
start 3
run 3 --lock a,b --timeout 30s -- true || fail "h3 does not serve with an empty disk"
voters_are 1 h1,h2,h4 || fail "other voters than the operator chose: $(voters 1)"
let_go patient
