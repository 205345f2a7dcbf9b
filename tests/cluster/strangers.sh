# Strangers who begin a thousand handshakes of TLS a second, at the ports for hosts and for programs, and have no certificate:
# a host that is started again meets the others, and a program on another machine is served, from the same address, though
# most of its handshakes are refused by then.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

"$ALLOT" cert --dir certs h1 h2 h3 --program ci --force >/dev/null || fail "no certificates"
tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"'
rm -f silence.fifo
configure 3
sed -i "1i clients = \"$loopback:7481\"" h1.toml
start_all

mkfifo silence.fifo
exec {silence}<>silence.fifo # they go on until the test ends
for port in 7481 7401 7403; do
    "$STRANGERS" $loopback "$port" 1000 <&"$silence" &
    started+=($!)
done
wait_until 20 "the strangers are there" contains 'a connection from 127.* is refused: peer did not return a certificate' h1.log
# More of them need no arithmetic, so that each machine reaches the limit of an address.
garbage() {
    local there
    while :; do
        exec {there}<>"/dev/tcp/$loopback/7481" || continue
        echo garbage >&"$there"
        exec {there}>&-
    done 2>/dev/null
}
for ((i = 0; i < 3; i++)); do
    garbage &
    garbage[i]=$!
    started+=($!)
done
wait_until 60 "an address is limited" contains 'too many handshakes from there have failed; it must wait' h1.log
kill "${garbage[@]}"
kill_host 2
start 2
wait_until 30 "h2 takes part in spite of the strangers" all_take_part
run 2 --lock db -- true || fail "h2 is not served"
far() {
    "$ALLOT" run --at "$loopback:7481" --server-name h1 --ca certs/ca.pem --cert certs/programs/ci.pem \
        --key certs/programs/ci.key --lock far -- true 2>far.err
}
wait_until 20 "a program on another machine is served" far
exit 0
