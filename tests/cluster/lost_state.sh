# The state folder of a host is removed. A daemon that runs makes it again and loses nothing. One that is started
# without it destroys nothing either: it gives out no lock before it has met the others, and those know that it has lost
# its memory.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

locks=(lock{0..11}) # some of them begin at every host
all=$(IFS=,; echo "${locks[*]}")
detector=$'mode = "heartbeat"\nheartbeat = "100ms"\ndead_after = "2s"\nstop_within = "1s"'
for pair in 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done
configure 3
start_all
run 3 --lock "$all" -- true || fail "no locks"
rm -r h3
stop 3
start 3
one_token_each "${locks[@]}"

hold keeper 1 --lock "$all"
kill_host 3
rm -r h3
fault refuse
fault cut
start 3
for lock in "${locks[@]}"; do
    run 3 --lock "$lock" --no-wait -- true 2>/dev/null
    [ $? -eq 120 ] || fail "h3 has met nobody, has no state, and gives out $lock, which is held"
done

lost=${process[3]}
fault heal
wait_until 20 "h3 ends" not_running "$lost"
wait "$lost" && fail "h3 ended as if all were well"
grep -q 'knows more about this host than h3' h3.log || fail "no reason: $(tail -n 3 h3.log)"
start 3
run 3 --lock lock0 --timeout 5s -- true 2>refusal.txt
[ $? -eq 119 ] || fail "a host that has lost its state gives out locks"
grep -q 'ended without saving its state' refusal.txt || fail "no reason: $(cat refusal.txt)"
run 3 --permit builds=2 --timeout 20s -- true || fail "h3 gets no permits in its new life"
let_go keeper
run 1 --lock "$all" --timeout 20s -- true || fail "what h1 holds is touched by the loss of h3"
