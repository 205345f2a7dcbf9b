# Strangers that connect to a daemon, to its socket and to its address for other hosts, do not disturb a crowd: 10,000
# connections that say nothing, garbage, a slow trickle, a host with a certificate of another authority, one with
# another configuration.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

"$ALLOT" cert --dir certs h1 h2 h3 --force >/dev/null || fail "no certificates"
"$ALLOT" cert --dir others h2 --force >/dev/null || fail "no other certificates"
tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"'
configure 3
ulimit -n "$(ulimit -Hn)"
start_all
before=$(memory_kb)
crowd 5 60 12
crowd_is_there 60

mkfifo idle.fifo
"$IDLERS" ./h1.sock 10000 <idle.fifo >idle.txt &
started+=($!)
exec {idle}>idle.fifo
wait_until 30 "the idle connections are made" test -s idle.txt
after=$(memory_kb)
echo "$(cat idle.txt) idle connections (as many as this user may open); memory of all daemons $before kB, then $after kB"
[ "$(cat idle.txt)" -gt 500 ] || fail "few idle connections are taken: $(cat idle.txt)"
# 10,000 that kept 8 kB each would take 80 MB.
[ "$after" -le $((before * 3 / 2 + 16384)) ] || fail "idle connections take much memory: $before kB, then $after kB"

head -c 100000 /dev/urandom >garbage
cat garbage >"/dev/tcp/$loopback/7401" 2>/dev/null
wait_until 20 "garbage is refused" contains 'a connection from 127.0.0.1 is refused' h1.log
exec {trickle}<>"/dev/tcp/$loopback/7402"

# A second host that says it is h2, and connects to h3: by another authority, then with another configuration.
rm -rf fake && mkdir fake
declare -A refusal=([authority]='certificate is refused' [configuration]='its configuration differs: bootstrap.seats is 1024 on host h3 and 77 on host h2')
for kind in authority configuration; do
    sed -e 's/"h2.sock"/"fake\/sock2"/' -e 's/state = "h2"/state = "fake\/state2"/' -e 's/7402/7498/' h2.toml >fake/h2.toml
    [ $kind = configuration ] && sed -i 's/^\[bootstrap\]$/&\nseats = 77/' fake/h2.toml
    [ $kind = authority ] && sed -i 's/certs\//others\//' fake/h2.toml
    "$ALLOT" node --config fake/h2.toml 2>"fake/$kind.log" &
    intruder=$!
    started+=($intruder)
    wait_until 20 "a host of another $kind is refused" contains "no link to host h3: .*${refusal[$kind]}" "fake/$kind.log"
    for letter in a b c; do echo -n $letter >&"$trickle"; done 2>/dev/null
    kill -KILL $intruder
    wait $intruder 2>/dev/null
done
crowd_ends
exec {idle}>&-
one_token_each lock{0..11}
