# A host whose programs hold very much sends a report of more than 4 MiB, which no frame of a link may have: the view
# is completed all the same, and nobody is taken for dead meanwhile.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "9s"\nsilence = "3s"\nreturn_within = "4500ms"\nseats = 2048' # three quarters for one user
configure 3
start 1
start 2
run 2 --lock keep1,keep2,keep3 --timeout 20s -- true || fail "no locks"
mkfifo askers.fifo
timeout 60 "$ASKERS" ./h2.sock 4 250 keep <askers.fifo >askers.out 2>askers.err &
started+=($!)
exec 9>askers.fifo
wait_until 30 "h2 has granted all" contains kept askers.out
views_before=$(grep -c ' view [0-9]*: h1, ' h1.log)
start 3
for i in 1 2 3; do
    run "$i" --lock keep1,keep2,keep3 --timeout 40s -- true 2>why.txt || fail "h$i gets nothing in the new view: $(cat why.txt)"
done
bytes=$(grep -o 'report of [0-9]* bytes' h2.log | awk '{ print $3 }' | sort -n | tail -n 1)
[ "$bytes" -gt $((4 << 20)) ] || fail "the longest report of h2 has only $bytes bytes"
[ "$(grep -c ' view [0-9]*: h1, ' h1.log)" -eq $((views_before + 1)) ] || fail "a view was not enough: $(grep ' view ' h1.log)"
grep ' error: ' h?.log && fail "a daemon complains"
exit 0
