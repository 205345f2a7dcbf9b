# A program elsewhere vanishes without a word, as if its machine had lost its power: its lock is given to others. And one
# that is only slow to speak keeps it.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "6s"'
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
run 1 --lock db --timeout 8s -- true 2>/dev/null
[ $? -eq 121 ] || fail "a program elsewhere loses its lock while it lives: $(cat far.err; cat h1.log)"
echo blackhole >&8
run 1 --lock db --timeout 40s -- bash -c "kill -0 $(cat far.in) 2>/dev/null && touch wrong; true" ||
    fail "who vanished keeps its lock: $(cat h1.log)"
[ ! -e wrong ] || fail "two used the lock"
contains 'silent for' h1.log || fail "not a word in the log: $(cat h1.log)"

# A daemon that may open no more files cannot watch a process. It refuses the lock then, even after the grant, and the command
# does not run: otherwise the next one would get the lock beside it once `allot run` is killed.
hold keeper 1 --lock x
ask first 1 --lock x
wait_until 10 "the first waits" waits_for x 1 1
prlimit --pid "${process[1]}" --nofile=3: || fail "the daemon's limit cannot be lowered"
let_go keeper
wait_until 20 "the first is told" not_running "${asker[first]}"
wait "${asker[first]}"
code=$?
[ $code -eq 119 ] || fail "who is not watched ended with $code: $(cat first.err)"
contains 'the daemon cannot watch the process: it may open no more files' first.err || fail "it is told: $(cat first.err)"
[ ! -e first.in ] || fail "a command runs that is not watched"
prlimit --pid "${process[1]}" --nofile=1024: || fail "the daemon's limit cannot be raised"
run 1 --lock x --timeout 20s -- true || fail "the lock is not given back"

# A process that is watched keeps the lock after `allot run` is killed, until it has ended.
hold watched 1 --lock x
kill -KILL "${asker[watched]}"
run 1 --lock x --timeout 1s -- touch wrong 2>/dev/null
[ $? -eq 121 ] || fail "the lock of a process that runs is given away"
kill -KILL "$(cat watched.in)"
run 1 --lock x --timeout 20s -- true || fail "the lock of a process that has ended is kept"
[ ! -e wrong ] || fail "two used the lock"
exit 0
