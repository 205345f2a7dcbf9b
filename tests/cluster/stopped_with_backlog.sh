# A daemon is stopped in order while another one is stopped by a signal, with much between them that was not read: there
# is no room for its goodbye. Nothing is lost.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "3s"\nsilence = "30s"\nreturn_within = "30s"' # nobody is removed here
configure 2
start_all
run 2 --lock keep1,keep2,keep3 --timeout 20s -- true || fail "no locks"
kill -STOP "${process[1]}"

# Of many locks with long names some have their tokens at h1.
mkfifo askers.fifo
timeout 60 "$ASKERS" ./h2.sock 4 250 <askers.fifo >askers.out 2>askers.err &
started+=($!)
exec 9>askers.fifo
wait_until 30 "all is asked" contains asked askers.out
much_waits() {
    local bytes
    bytes=$("$ALLOT" status --json --socket ./h2.sock | grep -o '"unacknowledged_bytes":[0-9]*' | sort -t: -k2 -n | tail -n 1)
    [ "${bytes##*:}" -gt 2000000 ]
}
wait_until 20 "much waits for h1" much_waits
stop 2
start 2
kill -CONT "${process[1]}"
# A daemon that has so many requests to go on with answers nobody for seconds; it is asked again then.
gets_all() { run "$1" --lock keep1,keep2,keep3 --timeout 20s -- true 2>why.txt; }
for i in 1 2; do wait_until 40 "h$i has not lost its locks" gets_all "$i"; done
grep ' error: ' h?.log && fail "a daemon complains"
exit 0
