# A program elsewhere vanishes without a word, as if its machine had lost its power: its lock is given to others. And one
# that is only slow to speak keeps it.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

detector=$'stop_within = "1s"'
rm -rf certs
"$ALLOT" cert --dir certs h1 --program ci >/dev/null || fail "no certificates"
tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"'
configure 1
port=$((30000 + $$ % 10000))
sed -i "1i clients = \"$loopback:$port\"" h1.toml
start 1
mkfifo far.fifo
"$FAULT_PROXY" 127.0.0.1:0 "$loopback:$port" <far.fifo >far.out &
started+=($!)
exec 8>far.fifo
wait_until 10 "a proxy listens" test -s far.out

"$ALLOT" run --at "127.0.0.1:$(head -n 1 far.out)" --server-name h1 --ca certs/ca.pem --cert certs/programs/ci.pem \
    --key certs/programs/ci.key --lock db -- \
    bash -c 'echo $$ >far.in; exec sleep 60' 2>far.err &
started+=($!)
wait_until 20 "the program elsewhere is granted" test -s far.in
run 1 --lock db --timeout 4s -- true 2>/dev/null
[ $? -eq 121 ] || fail "a program elsewhere loses its lock while it lives: $(cat far.err; cat h1.log)"
echo blackhole >&8
run 1 --lock db --timeout 20s -- bash -c "kill -0 $(cat far.in) 2>/dev/null && touch wrong; true" ||
    fail "who vanished keeps its lock: $(cat h1.log)"
[ ! -e wrong ] || fail "two used the lock"
contains 'nothing was heard of it' h1.log || fail "not a word in the log: $(cat h1.log)"

# Where there are no files left to watch a process with, nobody may believe that it is watched.
stop 1
(
    ulimit -n 40
    exec "$ALLOT" node --config h1.toml 2>>h1.log
) &
process[1]=$!
started+=($!)
wait_until 20 "host h1 starts" host_answers 1
mkfifo idle.fifo
"$IDLERS" ./h1.sock 60 <idle.fifo >idle.out &
started+=($!)
exec 9>idle.fifo
wait_until 10 "idlers are there" test -s idle.out
watched_or_told() {
    rm -f first.in
    "$ALLOT" run --socket ./h1.sock --lock x --timeout 5s -- bash -c 'echo $$ >first.in; exec sleep 3' 2>first.err &
    local first=$!
    started+=($first)
    wait_until 10 "the first is granted, or told why not" granted_or_ended $first
    sleep 0.3
    kill -KILL $first 2>/dev/null
    [ -s first.in ] || return 0
    run 1 --lock x --timeout 20s -- bash -c "kill -0 $(cat first.in) 2>/dev/null && touch wrong; true"
    [ ! -e wrong ] || fail "two used the lock, since the first was not watched: $(cat first.err)"
}
granted_or_ended() { [ -s first.in ] || ! running "$1"; }
watched_or_told
exit 0
