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
# next_at HOST [FLAGS]: asks for the permit there; if it is granted, nobody else may use it. Leaves the exit code.
next_at() {
    local i=$1
    shift
    run "$i" --permit single "$@" -- bash -c "kill -0 $(cat first.in) 2>/dev/null && touch overlap; true" 2>next.err
    code=$?
    [ ! -e overlap ] || fail "$case: two use the permit at once"
    [ $code -eq 0 ] || [ $code -eq 121 ] || fail "$case: exit code $code: $(cat next.err)"
}
still_used() { running "$(cat first.in)" || fail "$case: who held the permit has lost it: $(cat first.err)"; }
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
    next_at 1 --timeout 3s
    [ $code -eq 121 ] || fail "$case: h1 gets what is held at h2"
    still_used
    end

    case="$mode, the holder's host is cut off while another restarts"
    begin $mode
    hold first 2 --permit single
    stop 1
    cut_off 1,2 2,3
    start 1
    next_at 3 --timeout 4s
    [ $mode = automatic ] || [ $code -eq 0 ] || fail "$case: the majority gets no permit"
    end

    case="$mode, a host that was killed has refused the holder's"
    begin $mode
    hold first 2 --permit single
    fault blackhole 1,2
    [ $mode = automatic ] || wait_until 10 "$case: h1 refuses h2" contains 'h2: .* life 0 is refused' h1.log
    kill_host 1
    fault heal 1,2
    start 1
    sleep 1
    cut_off 2,3
    next_at 3 --timeout 4s
    end

    case="$mode, the holder's host is cut off for long, and restarts"
    begin $mode
    hold first 2 --permit single --grace 240ms
    fault blackhole 1,2 2,3
    sleep 2
    stop 2
    start 2
    next_at 3 --timeout 5s
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
