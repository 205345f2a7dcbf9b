# Hosts join and leave again and again while programs on the others take locks and permits: the witness sees no overlap, and
# no request is lost. rounds: how often each of two hosts joins and leaves; 30 changes or more take a minute at most.
rounds=${rounds:-3}
engine=${engine:-hosts}
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "3s"\nsilence = "1s"'
configure 3
start_all
crowd 240 12 7
crowd_is_there 12

# come_and_go HOST: the two take turns in being away.
come_and_go() {
    local i=$1 round pid
    for round in $(seq "$rounds"); do
        join "$i" $((round % 3 + 1)) >"join$i.txt" || { echo "h$i does not join: $(cat "join$i.txt")"; return 1; }
        "$ALLOT" node --config "h$i.toml" 2>>"h$i.log" &
        pid=$!
        for _ in $(seq 200); do
            timeout 20 "$ALLOT" run --socket "./h$i.sock" --lock "of-$i" --timeout 15s -- true 2>"run$i.txt" && break
            sleep 0.05
        done
        timeout 20 "$ALLOT" cluster leave --socket "./h$i.sock" >"leave$i.txt" 2>&1 || {
            echo "h$i does not leave: $(cat "leave$i.txt")"
            return 1
        }
        wait $pid || { echo "h$i did not end in order: $(tail -n 3 "h$i.log")"; return 1; }
        echo "h$i" >>moves
    done
}

for i in 4 5; do newcomer $i; done
began=$(now_ms)
come_and_go 4 >come4.txt &
first=$!
come_and_go 5 >come5.txt &
second=$!
wait $first || fail "$(cat come4.txt)"
wait $second || fail "$(cat come5.txt)"
took=$(($(now_ms) - began))
[ "$(wc -l <moves)" -eq $((2 * rounds)) ] || fail "not all rounds were made: $(cat moves)"
echo "$((4 * rounds)) joins and leaves in $took ms"
[ $((4 * rounds)) -lt 30 ] || [ $took -le 60000 ] || fail "$((4 * rounds)) joins and leaves took $took ms"
crowd_stops
for i in 1 2 3; do members_are $i h1,h2,h3 || fail "members of h$i: $(members $i)"; done
one_token_each a b
exit 0
