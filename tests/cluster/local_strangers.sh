# Hosts on one machine without TLS, and somebody who may not use their sockets: it starts a daemon that calls itself h1, and
# one that listens in the place of h3. No host believes either of them.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
[ "$(id -u)" -eq 0 ] || { echo "only root can be somebody else"; exit 77; }
engine=hosts
configure 3
sed -i "1i clients = \"$loopback:7482\"" h2.toml
with_page 1
start_all
hold job 2 --lock db

# As nobody, in a folder that nobody may write to; the command must be readable there, too.
theirs=$(mktemp -d /tmp/allot-stranger.XXXXXX)
trap 'end_all; rm -rf "$theirs"' EXIT
cp "$ALLOT" "$HOLDER" "$theirs"
# impostor HOST: a daemon with the configuration of that host.
impostor() {
    sed "s,\"h$1.sock\",\"$theirs/sock$1\",; s,state = \"h$1\",state = \"$theirs/state$1\"," "h$1.toml" >"$theirs/h$1.toml"
    mkdir "$theirs/state$1"
    chown -R nobody "$theirs"
    (cd "$theirs" && exec setpriv --reuid nobody --regid nogroup --clear-groups ./allot node --config "h$1.toml") \
        2>"impostor$1.log" &
    impostor=$!
}
end_impostor() {
    kill -KILL $impostor
    wait $impostor 2>/dev/null
}

kill_host 1
impostor 1
wait_until 10 "h2 refuses somebody who calls itself h1" contains 'no link to host h2: refused: without TLS a host believes only' impostor1.log
contains 'a connection from 127.* is refused: it belongs to user 65534, not to user 0 or root' h2.log || fail "h2 does not say why"
grep -qE 'seats|bootstrap|builds' impostor1.log && fail "the refusal tells of the configuration: $(cat impostor1.log)"
end_impostor

# Nor do they come in by the port for programs, where there is no socket that keeps them out.
(cd "$theirs" && setpriv --reuid nobody --regid nogroup --clear-groups ./holder "tcp:$loopback:7482" mine) >mine.out 2>&1 </dev/null &&
    fail "a program of another user is let in: $(cat mine.out)"
contains 'without TLS only programs of root and of the daemon' mine.out || fail "it is refused for another reason: $(cat mine.out)"
"$HOLDER" "tcp:$loopback:7482" mine </dev/null >mine.out 2>&1 || fail "a program of the same user is refused: $(cat mine.out)"

kill_host 3
impostor 3
start 1
for i in 1 2; do
    wait_until 10 "h$i does not believe who listens in the place of h3" \
        contains "no link to host h3: the process at .*7403 is not believed: it belongs to user 65534" "h$i.log"
done
end_impostor
start 3
wait_until 20 "all hosts take part again" all_take_part
let_go job

# --- Whoever allows plaintext explicitly is told what that means, and all goes on.
page /health | grep -q warning && fail "a warning for nothing: $(page /health)"
stop 1
printf '[cluster]\nplaintext = true\n' >>h1.toml
start 1
wait_until 20 "h1 takes part with plaintext" all_take_part
contains 'plaintext = true is unsafe: everybody who reaches' h1.log || fail "the log does not say so"
wait_until 10 "h1 is well" healthy
page /health | grep -q '^warning: plaintext = true is unsafe' || fail "/health does not say so: $(page /health)"
"$ALLOT" status --socket ./h2.sock | grep -q 'h1: plaintext = true is unsafe' || fail "status does not say so"
