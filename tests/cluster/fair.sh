# The programs of one user ask for all that they can get, hold it, and end at once. Those of another user are served meanwhile
# as if they were alone, but for moments, and the status says why requests of the first user wait. What one user may take of
# the memory is bounded, and a request beyond that is refused with the reason.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

nobody=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
[ "$(id -u)" -eq 0 ] && "${nobody[@]}" "$NAMERS" >/dev/null 2>&1
[ $? -eq 2 ] || { echo "skipped: this needs root and nobody"; exit 77; }
chmod a+rx . # the socket is for everybody

rm -f served*.txt
configure 1
sed -i '1i socket_mode = "0666"' h1.toml
start_all
# serve NAME SECONDS: one lock after another for the other user; then served NAME.
serve() {
    NAMERS_FOR=$2 "${nobody[@]}" "$NAMERS" "$1-" 1000000 ./h1.sock >"served-$1.txt" 2>&1 &
    started+=($!)
    server=$!
}
# On a machine that does much else, even an idle daemon takes a while.
served() {
    wait $server || fail "$1: the other user is not served: $(cat "served-$1.txt")"
    echo "$1: $(cat "served-$1.txt")"
    local longest
    longest=$(grep -o 'longest [0-9]*' "served-$1.txt" | tr -dc 0-9)
    [ "$longest" -lt 1000000 ] || fail "$1: a lock of another user takes too long"
}
serve alone 1
served alone

mkfifo askers.fifo
"$ASKERS" ./h1.sock 12 255 keep <askers.fifo >askers.out 2>askers.err &
askers=$!
started+=($!)
exec {input}>askers.fifo
serve asking 6
wait_until 60 "all is asked" contains asked askers.out
served asking
"$ALLOT" status --socket ./h1.sock >status.txt
contains 'one user has 768 open requests for locks that are served, and others of it wait' status.txt ||
    fail "the status does not say why they wait: $(head -n 4 status.txt)"
run 1 --lock more --timeout 1s -- touch wrong 2>err.txt
[ $? -eq 121 ] || fail "the first user gets more than its share: $(cat err.txt)"
run 1 --permit builds -- true || fail "permits are no locks"

serve ending 3
wait_until 20 "the other user is there" has_sessions 13
kill -KILL $askers
served ending
run 1 --lock more -- true || fail "the first user gets nothing any more"

# --- Memory: one request counts with 2048 bytes, 64 * 1024, and 4 for each of its 64 * 104 bytes or so of names.
sed -i '/^\[register\]/i [limits]\nmemory_megabytes = 2' h1.toml
kill -HUP "${process[1]}"
wait_until 10 "the limits count" contains 'SIGHUP: \[limits\] counts from now on' h1.log
exec {input}>&-
mkfifo more.fifo
"$ASKERS" ./h1.sock 1 40 keep <more.fifo >more.out 2>more.err &
started+=($!)
exec {input}>more.fifo
wait_until 20 "it has all answers" contains kept more.out
run 1 --lock "$(seq -s, 60)" -- touch wrong 2>err.txt
contains 'the open requests of root take [0-9]* bytes, and this one [0-9]* bytes, of at most 1572864 bytes (limits.memory_megabytes); ask again when some have ended' err.txt ||
    fail "it is told: $(cat err.txt)"
"${nobody[@]}" "$NAMERS" theirs- 1000 ./h1.sock >/dev/null || fail "another user has no memory"
"$ALLOT" status --socket ./h1.sock >status.txt
contains 'the open requests of one user take nearly all the memory' status.txt || fail "the status: $(head -n 4 status.txt)"
[ ! -e wrong ] || fail "a request ran that is refused"
exit 0
