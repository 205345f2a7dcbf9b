# Hosts that judge each other by silence alone. A host that is cut off gives up its permits before the majority hands
# them out, and gives out none itself; nor are there too many permits if only two hosts do not hear each other. Of
# `single` there are as many permits as hosts, one for each program: so whoever believes to be allowed to asks nobody.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
export CROWD_LOSES=1 CROWD_PERMITS=3 CROWD_LOCKS=0

semaphores=$'builds = 3\nsingle = { permits = 3, max_request = 1 }'
detector=$'mode = "heartbeat"\nheartbeat = "100ms"\ndead_after = "1s"\nstop_within = "500ms"'
for pair in 1,2 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done
configure 3
start_all

# Nothing is in use when it happens.
run 1 --permit single --timeout 20s -- true || fail "no permits"
fault blackhole 1,2 1,3
wait_until 10 "h2 holds h1 for dead" contains 'h1: seat incarnation 0 has ended' h2.log
hold one 2 --permit single
hold two 3 --permit single
hold three 2 --permit single
run 1 --permit single --timeout 500ms -- true 2>/dev/null
[ $? -eq 121 ] || fail "a host that is cut off gives out permits that are held elsewhere"
fault heal
run 1 --permit single --no-wait --patience 1s -- true 2>/dev/null
[ $? -eq 120 ] || fail "a host that comes back gives out permits that are held elsewhere"
for name in one two three; do let_go $name; done
run 1 --permit single --timeout 20s -- true || fail "h1 gets no permits once it is back"

# Under load.
crowd 8 30 8
crowd_is_there 30
hold cut_off 1 --permit builds
fault blackhole 1,2 1,3
wait_until 10 "h2 holds h1 for dead again" contains 'h1: seat incarnation 1 has ended' h2.log
run 2 --permit builds=3 --timeout 20s -- true || fail "the majority gets no permits"
wait "${asker[cut_off]}"
[ $? -eq 122 ] || fail "who held a permit at the host that was cut off was not told: $(cat cut_off.err)"
run 1 --permit builds --timeout 500ms -- true 2>/dev/null
[ $? -eq 121 ] || fail "a host that is cut off gives out permits"
fault heal
run 1 --permit builds=3 --timeout 20s -- true || fail "h1 gets no permits in its new life"

hold one_side 2 --permit builds
fault blackhole 2,3
wait_until 10 "h3 does not hear h2" contains 'host h2 is down: nothing was heard' h3.log
run 3 --permit builds=3 --timeout 1500ms -- true 2>/dev/null
[ $? -eq 121 ] || fail "h3 gets permits that are held at h2, which only h3 does not hear"
running "$(cat one_side.in)" || fail "who held a permit at a host with a majority has lost it: $(cat one_side.err)"
kill -KILL "${asker[one_side]}" "$(cat one_side.in)"
fault heal

# No host hears any other: all give up their permits, and go on where they were.
hold alone 3 --permit builds
fault blackhole
wait "${asker[alone]}"
[ $? -eq 122 ] || fail "who held a permit at a host that hears nobody was not told: $(cat alone.err)"
fault heal
run 3 --permit builds=3 --timeout 20s -- true || fail "h3 gets no permits once it hears others again"
crowd_ends
for i in 1 2 3; do
    run "$i" --permit builds=3 --timeout 20s -- true || fail "h$i gets no permits in the end"
done
one_token_each lock{0..11}
