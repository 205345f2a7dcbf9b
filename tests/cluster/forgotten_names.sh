# Names of locks that nobody uses are forgotten by a new view, long before there are many; what is held stays, and fences
# grow over it.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 3
for i in 1 2 3; do printf '[limits]\nnames = 1000\n' >>h$i.toml; done
start_all
hold keeper 2 --lock kept
fence_of() { run "$1" --lock again --timeout 20s -- bash -c 'echo "$ALLOT_FENCE"'; }
before=$(fence_of 1)
views() { grep -c ' view [0-9]*: frozen' h1.log; }
views_before=$(views)

timeout 90 "$NAMERS" name- 30000 $(all_sockets) >namers.out || fail "not all of 30000 names are granted: $(cat namers.out)"
forgotten() { cat h?.log | awk '/ forgot / { for (i = 1; i < NF; i++) if ($i == "forgot") sum += $(i + 1) } END { exit !(sum > 15000) }'; }
wait_until 20 "names are forgotten" forgotten
[ "$(views)" -gt "$views_before" ] || fail "there is no new view"
after=$(fence_of 3)
[ "$after" -gt "$before" ] || fail "the fence was $before and is $after"
run 3 --lock kept --no-wait --patience 200ms -- true 2>/dev/null
[ $? -eq 120 ] || fail "what keeper holds is given out"
let_go keeper
grep ' error: ' h?.log && fail "a daemon complains"
exit 0
