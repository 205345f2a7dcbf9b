# Many programs on other machines, over TLS, each with the addresses of all hosts. One daemon is killed: all programs go on at
# the others, and no two are inside a lock (the programs have a witness). $REMOTE_PROGRAMS (50) sessions in $REMOTE_PROCESSES
# (2) processes, which pause for $REMOTE_THINK (100) ms on average. They are nice, because they would run on other machines.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
programs=${REMOTE_PROGRAMS:-50}
processes=${REMOTE_PROCESSES:-2}
think=${REMOTE_THINK:-100}

rm -rf certs witness remotes*
"$ALLOT" cert --dir certs h1 h2 h3 --program ci >/dev/null || fail "no certificates"
export ALLOT_CA=certs/ca.pem ALLOT_CERT=certs/programs/ci.pem ALLOT_KEY=certs/programs/ci.key ALLOT_SERVER_NAME=h1,h2,h3
tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"'
times=$'lease = "4s"\nsilence = "1s"\nreturn_within = "1500ms"'
agree "${REMOTE_TIMES:-$times}"
configure 3
addresses=''
for i in 1 2 3; do
    sed -i "1i clients = \"$loopback:$((7480 + i))\"" "h$i.toml"
    addresses+=",$loopback:$((7480 + i))"
done
addresses=${addresses#,}
start_all
before=$(memory_kb)

# --- A command finds a host that answers, whichever it is, and each name belongs to its address.
ALLOT_AT=$addresses "$ALLOT" run --lock first -- true || fail "no host serves"
ALLOT_AT=$loopback:7499,$loopback:7482 ALLOT_SERVER_NAME=h1,h2 "$ALLOT" run --lock first -- true ||
    fail "a dead address is not passed over"
ALLOT_AT=$loopback:7499,$loopback:7482 ALLOT_SERVER_NAME=h1 "$ALLOT" status >out.txt 2>err.txt
[ $? -eq 123 ] && grep -q "7499: no daemon.*(Connection refused).*7482: no daemon.*mismatch" err.txt ||
    fail "not all addresses are named: $(cat out.txt err.txt)"

# --- All connect at once.
declare -a input=()
for i in $(seq "$processes"); do
    mkfifo "remotes$i.fifo"
    nice "$REMOTES" witness $((programs / processes)) "$i" "$think" "tls:$addresses" \
        <"remotes$i.fifo" >"remotes$i.out" 2>"remotes$i.err" &
    remote[i]=$!
    started+=($!)
    exec {one}>"remotes$i.fifo"
    input[i]=$one
done
# lines COUNT: all processes have said so many; one that ended has failed.
lines() {
    local i
    for i in $(seq "$processes"); do
        running "${remote[$i]}" || fail "process $i has ended: $(cat "remotes$i.out" "remotes$i.err")"
        [ "$(wc -l <"remotes$i.out")" -ge "$1" ] || return 1
    done
}
all_go_on() {
    local i
    for i in $(seq "$processes"); do echo >&"${input[$i]}"; done
    wait_until 130 "all programs go on $1" lines "$2"
    tail -qn 1 remotes*.out
}
wait_until 130 "all programs are connected" lines 1
cat remotes*.out
all_go_on "at first" 2
echo "a session costs its daemon $((($(memory_kb) - before) / programs)) kB"
sessions() { "$ALLOT" status --socket "./h$1.sock" --json | grep -o '"sessions": *[0-9]*' | tr -dc '0-9\n' | paste -sd' '; }
echo "sessions of the hosts: $(sessions 1)"

# --- One daemon is killed.
kill_host 1
unset 'process[1]'
all_go_on "after a daemon was killed" 3
echo "sessions of the hosts: $(sessions 2)"
start 1
all_go_on "when it is back" 4

for i in $(seq "$processes"); do echo . >&"${input[$i]}"; done
for i in $(seq "$processes"); do
    wait "${remote[$i]}" || fail "process $i failed: $(cat "remotes$i.out" "remotes$i.err")"
    grep -q ' 0 failed, 0 wrong' "remotes$i.out" || fail "$(cat "remotes$i.out" "remotes$i.err")"
done
tail -qn 1 remotes*.out
cat remotes*.err
[ -z "${REMOTES_LONG:-}" ] || grep -q '^ended.* [1-9][0-9]* lost' remotes*.out || fail "no lease was lost with its daemon"
exit 0
