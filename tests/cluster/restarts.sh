# All hosts are stopped in order and started again, one after the other, under load: programs notice a pause and
# nothing else.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

semaphores=$'builds = 2\nspare = 1'
configure 5
start_all
hold patient 3 --lock kept --permit spare
crowd 4 100 5
crowd_is_there 100
for i in 1 2 3 4 5; do
    stop "$i"
    start "$i"
done
crowd_ends
running "$(cat patient.in)" || fail "who held a lock and a permit was stopped: $(cat patient.err)"
run 1 --lock kept --no-wait -- true 2>/dev/null
[ $? -eq 120 ] || fail "what is held across a restart is given to others"
let_go patient

# Who comes while its daemon is restarted waits for it.
stop 1
run 1 --lock late --timeout 20s -- true 2>late.err &
late=$!
sleep 0.3 # it finds nobody
start 1
wait $late || fail "who came while its daemon was restarted was sent away: $(cat late.err)"

# All at once, and back in another order.
for i in 1 2 3 4 5; do stop "$i"; done
for i in 4 2 5 1 3; do start "$i"; done
one_token_each lock{0..11} kept
for log in h*.log; do
    grep -E ' (error|warning): ' "$log" && fail "$log complains"
done
exit 0
