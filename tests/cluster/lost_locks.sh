# Locks of a lost host are shown as such: those that somebody waits for, those that nobody waits for, and not more than
# anybody can read. Locks that were there and went elsewhere in time are not among them.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

detector=$'heartbeat = "100ms"\ndead_after = "1s"\nstop_within = "500ms"'
configure 3
with_page 1
start_all
status() { "$ALLOT" status --socket "./h$1.sock" "${@:2}" >status.txt; }

# All have been at h3; then some are taken away from it.
many=()
for i in $(seq 0 29); do many+=(some$i); done
all=$(IFS=,; echo "${many[*]}")
run 1 --lock "$all" --timeout 20s -- true || fail "no locks"
run 3 --lock "$all" --timeout 20s -- true || fail "no locks"
run 2 --lock some0,some1,some2 --timeout 20s -- true || fail "no locks"
kill_host 3

shown_lost() { status "$1" && [ "$(grep -c '^some.*h3 *held by a lost host' status.txt)" -eq "$2" ]; }
wait_until 20 "h1 shows the locks of h3" shown_lost 1 27
for lock in some0 some1 some2; do
    grep "^$lock .*lost host" status.txt && fail "$lock is at h2"
done
shown_lost 2 27 || fail "h2 sees something else: $(cat status.txt)"
status 1 --json
[ "$(grep -o '"place":"h3","note":"held by a lost host","state":"lost"' status.txt | wc -l)" -eq 27 ] || fail "JSON: $(cat status.txt)"

# A single host knows less: it counts also what went on elsewhere.
page /metrics | grep -qE '^allot_locks_astray (2[789]|30)\b' || fail "/metrics: $(page /metrics)"
page /status | grep -q '"state": "lost"' || fail "/status: $(page /status)"

# Who waits is told why.
run 1 --lock some7 --timeout 1s -- true 2>err.txt
[ $? -eq 121 ] || fail "a lock of a lost host is given out"
grep -q 'timed out: .*lock some7: held by a lost host (h3); to go on, .*--fresh' err.txt || fail "no reason: $(cat err.txt)"
ask stranded 2 --lock some8
wait_until 20 "who waits without bound is told" contains 'waits: lock some8: held by a lost host (h3)' stranded.err
run 2 --lock some0 --timeout 20s -- true || fail "a lock that is elsewhere is lost, too"

# Back, but without its locks: still shown. Now more than fit into a report.
start 3
wait_until 20 "h3 shows what it has lost" shown_lost 3 27
kill -KILL "${asker[stranded]}"
for i in 1 2; do stop $i; done
kill_host 3
start_all --fresh
for batch in $(seq 0 9); do
    names=$(seq -s, -f "batch$batch-%g" 0 49)
    run 1 --lock "$names" --timeout 20s -- true && run 3 --lock "$names" --timeout 20s -- true || fail "no locks"
done
kill_host 3
bounded() { status 1 && grep -q '^300 more locks seem to be at hosts that are lost or unreachable' status.txt; }
wait_until 20 "h1 shows some and counts the rest" bounded
[ "$(grep -c '^batch.*held by a lost host' status.txt)" -eq 200 ] || fail "not 200 are shown: $(cat status.txt)"
exit 0
