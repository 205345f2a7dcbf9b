# Orderly restarts and links that break at the same time. There is one permit, and whoever gets it looks whether the
# process that had it before still runs.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

semaphores='single = 1'
times=$'heartbeat = "100ms"\ndead_after = "1s"\nstop_within = "500ms"'
for pair in 1,2 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done

begin() { # begin DETECTOR: three new hosts, and a process that holds the permit at h2
    detector="mode = \"$1\""$'\n'"$times"
    fault heal
    rm -f overlap
    configure 3
    start_all --fresh
    run 2 --permit single --timeout 20s -- true || fail "no permit in the beginning ($1)"
}
cut_off() {
    fault refuse "$@"
    fault cut "$@"
}
# gets_it HOST: asks for the permit there and gets it, and nobody else uses it then.
gets_it() {
    run "$1" --permit single --timeout 30s -- bash -c "kill -0 $(cat first.in) 2>/dev/null && touch overlap; true" 2>next.err ||
        fail "$case: h$1 gets no permit: $(cat next.err)"
    [ ! -e overlap ] || fail "$case: two use the permit at once"
}
# waits_in_vain HOST: asks for the permit there, longer than a host that is taken for dead keeps its permits, and does not get it:
# the first still uses it.
waits_in_vain() {
    run "$1" --permit single --timeout 4s -- true 2>next.err
    [ $? -eq 121 ] || fail "$case: h$1 gets what is held at h2: $(cat next.err)"
    running "$(cat first.in)" || fail "$case: who held the permit has lost it: $(cat first.err)"
}
# by_mode HOST: where hosts judge by silence alone the next one gets the permit. Where the kernel watches their processes a host
# that is cut off is not dead, and keeps it.
by_mode() { if [ $mode = heartbeat ]; then gets_it "$1"; else waits_in_vain "$1"; fi; }
end() {
    kill -KILL "${asker[first]}" "$(cat first.in)" 2>/dev/null
    fault heal
    for i in 1 2 3; do
        run "$i" --permit single --timeout 20s -- true || fail "$case: h$i gets no permit in the end"
    done
    for i in 1 2 3; do stop "$i"; done
}

for mode in heartbeat automatic; do
    case="$mode, a link is cut while the holder's host restarts"
    begin $mode
    hold first 2 --permit single
    stop 2
    cut_off 1,2
    start 2
    waits_in_vain 1
    end

    case="$mode, the holder's host is cut off while another restarts"
    begin $mode
    hold first 2 --permit single
    stop 1
    cut_off 1,2 2,3
    start 1
    by_mode 3
    end

    case="$mode, a host that was killed has refused the holder's"
    begin $mode
    hold first 2 --permit single
    fault blackhole 1,2
    [ $mode = automatic ] || wait_until 10 "$case: h1 refuses h2" contains 'h2: .* seat incarnation 0 is refused' h1.log
    kill_host 1
    fault heal 1,2
    start 1
    sleep 1
    cut_off 2,3
    by_mode 3
    end

    case="$mode, the holder's host is cut off for long, and restarts"
    begin $mode
    hold first 2 --permit single --grace 240ms
    fault blackhole 1,2 2,3
    sleep 2
    stop 2
    start 2
    gets_it 3
    end

    case="$mode, the holder's host is stopped for good"
    begin $mode
    stop 2
    start 2
    hold first 2 --permit single
    ask second 3 --permit single --timeout 20s
    wait_until 10 "$case: the other waits" waits_for single 1 3
    stop 2
    wait_until 20 "$case: the other gets it" granted second
    not_running "$(cat first.in)" || fail "$case: two use the permit at once"
    kill -KILL "${asker[second]}" "$(cat second.in)" 2>/dev/null
    start 2
    end
done
exit 0
