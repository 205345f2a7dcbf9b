# A host is gone for good, and only its silence says so: what is written to it piles up until requests are refused that
# could not reach it. The refusal names it, and permits are given out as before.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

detector=$'mode = "heartbeat"\nheartbeat = "100ms"\ndead_after = "1s"\nstop_within = "500ms"'
configure 3
for i in 1 2 3; do printf '[limits]\nlocks_per_request = 300\nname_length = 4000\n' >>"h$i.toml"; done
start_all
run 1 --lock db --timeout 20s -- true || fail "the hosts do not meet"
kill_host 3
wait_until 20 "h3 is held for dead" contains 'h3: seat incarnation 0 has ended' h1.log

long=$(printf 'x%.0s' $(seq 3950))
many=()
for i in $(seq 240); do many+=(--lock "$long$i"); done
refused() {
    run 1 "${many[@]}" --no-wait --patience 200ms -- true 2>refusal.txt
    [ $? -eq 119 ]
}
wait_until 90 "letters to h3 pile up" refused
grep -q 'host h3 does not acknowledge messages, and .* bytes wait for it; .*--fresh' refusal.txt || fail "another reason: $(cat refusal.txt)"
run 1 --permit builds=2 --timeout 20s -- true || fail "no permits because of a host that they have nothing to do with"
run 1 --lock db --permit builds --timeout 20s -- true 2>/dev/null
[ $? -eq 119 ] || fail "a lock that may be at h3 is waited for in vain"
