# Three hosts with networks of their own, joined by a bridge, over TLS: a crowd does not notice that cables are pulled
# and put back. Skipped where this user may not make network namespaces.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

switch=allot$$s
remove_networks() {
    local i
    for i in "$switch" allot$$h{1,2,3}; do ip netns delete "$i" 2>/dev/null; done
}
trap 'end_all; remove_networks' EXIT
if ! ip netns add "$switch" 2>why.txt; then
    echo "skipped: no network namespaces here: $(head -n 1 why.txt)"
    exit 77
fi

make_networks() {
    local i
    ip -n "$switch" link add bridge type bridge && ip -n "$switch" link set bridge up || return 1
    for i in 1 2 3; do
        ip netns add allot$$h$i &&
            ip -n allot$$h$i link set lo up &&
            ip -n allot$$h$i link add cable type veth peer name port$i netns "$switch" &&
            ip -n allot$$h$i address add 10.77.0.$i/24 dev cable &&
            ip -n allot$$h$i link set cable up &&
            ip -n "$switch" link set port$i master bridge up || return 1
    done
}
if ! make_networks 2>why.txt; then
    echo "skipped: no bridge or virtual cables here: $(head -n 1 why.txt)"
    exit 77
fi

"$ALLOT" cert --dir certs h1 h2 h3 --force >/dev/null || fail "no certificates"
tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"'
for i in 1 2 3; do
    within[i]="ip netns exec allot$$h$i"
    for j in 1 2 3; do seen_at[$j,$i]=10.77.0.$i:7400; done
done
configure 3
start_all
crowd 4 60 13
crowd_is_there 60
for i in 2 1 3; do
    ip -n "$switch" link set port$i down
    sleep 0.4
    ip -n "$switch" link set port$i up
    wait_until 10 "programs at all hosts get locks again" run $i --lock "mine$i" --timeout 10s -- true
done
crowd_ends
one_token_each lock{0..11}
