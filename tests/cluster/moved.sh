# A cluster moves its register from the hosts to etcd, to a file and back, as docs/operations.md says. Hosts that joined,
# settings and fences stay. A host with its former file grants nothing.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

# fence HOST: of a lock that it gets now.
fence() { run "$1" --lock db --timeout 30s -- sh -c 'echo $ALLOT_FENCE' || fail "h$1 does not serve"; }
all_serve() {
    local i next
    for i in 1 2 3 4; do
        next=$(fence $i)
        [ "$next" -gt "$last" ] || fail "h$i has fence $next after $last"
        last=$next
    done
}
# move ENGINE ABOVE
move() {
    local i
    for i in 4 3 2 1; do stop $i; done
    engine=$1
    agree
    for i in 1 2 3 4; do write_own $i; done
    for i in $([ "$1" = hosts ] && echo 1 2 3 4 || echo 1); do
        "$ALLOT" cluster init --above "$2" --config "h$i.toml" || fail "$1: h$i does not begin"
    done
    for i in 1 2 3 4; do start $i; done
    all_serve
    "$ALLOT" cluster show --socket ./h4.sock >show.txt
    grep -q 'builds.* 5 ' show.txt || fail "$1: builds has not kept its permits: $(cat show.txt)"
}
# Without [bootstrap], so that nothing comes from there.
write_own() {
    printf 'host = "h%s"\naddress = "%s"\nsocket = "h%s.sock"\nstate = "h%s"\nhttp = ""\n[register]\n%s\n' \
        "$1" "$(address_of "$1")" "$1" "$1" "${register//ENDPOINTS/$(etcd_endpoints "$1")}" >"h$1.toml"
}

configure 3
start_all
newcomer 4
join 4 1
start 4
"$ALLOT" cluster set builds=5 --socket ./h1.sock || fail "builds has 5 permits"
last=0
all_serve
fresh_etcd
move etcd 1000
move file 2000
move etcd 3000
cp h4.toml former.toml
move hosts 4000

# It finds the key of etcd, which belongs to the past: none of the others is in that view.
stop 4
cp former.toml h4.toml
"$ALLOT" node --config h4.toml 2>>h4.log &
process[4]=$!
started+=($!)
! timeout 10 "$ALLOT" run --socket ./h4.sock --lock db --timeout 8s -- true 2>refused.txt || fail "h4 grants with its former file"
running "${process[4]}" || fail "h4 has ended: $(tail -n 2 h4.log)"
grep -q 'the register holds view 30.*, and this host has worked in view 40' refused.txt || fail "h4 does not say why: $(cat refused.txt)"
for i in 1 2 3; do fence $i >/dev/null; done
