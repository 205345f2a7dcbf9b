# Two hosts do not hear each other for a while, then the third is cut off: each host begins a new life only while others
# are left to take it in, so permits go on.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

semaphores='single = 1'
detector=$'mode = "heartbeat"\nheartbeat = "100ms"\ndead_after = "1s"\nstop_within = "500ms"'
for pair in 1,2 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done
configure 3
start_all
for i in 1 2 3; do
    run "$i" --permit single --timeout 20s -- true || fail "h$i gets no permit in the beginning"
done

refused_each_other() { contains 'h2: .* is refused' h1.log && contains 'h1: .* is refused' h2.log; }
for pause in 0.1 0.3 0.6 1 2; do
    fault blackhole 1,2
    wait_until 10 "h1 and h2 refuse each other" refused_each_other
    fault heal 1,2
    sleep $pause
    fault blackhole 1,3 2,3
    sleep 2
    fault heal
    for i in 1 2 3; do
        run "$i" --permit single --timeout 15s -- true || fail "h$i gets no permit, $pause s apart"
    done
    : >h1.log
    : >h2.log
done
exit 0
