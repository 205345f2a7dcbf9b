# A host that shares the register, but has not joined, does not act under the number of another host.
engine=${engine:-file}
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree
configure 1
start_all
hold one 1 --lock db
newcomer 2
timeout 30 "$ALLOT" node --config h2.toml 2>h2.log && fail "h2 runs though it has not joined"
grep -q 'host h2 is not in the cluster that has this register; `allot cluster join ADDRESS --config FILE`' h2.log ||
    fail "no word about joining: $(cat h2.log)"
# A register in etcd answers later.
[ "$engine" = etcd ] || ! contains 'host h2 is ready' h2.log || fail "h2 says that it is ready: $(cat h2.log)"
join 2 1 >join.txt || fail "h2 does not join: $(cat join.txt)"
start 2
wait_until 20 "h2 takes part" members_are 1 h1,h2
"$ALLOT" run --socket ./h2.sock --lock db --timeout 1s -- touch wrong 2>/dev/null
[ ! -e wrong ] || fail "two programs held one lock"
let_go one
"$ALLOT" run --socket ./h2.sock --lock db --timeout 20s -- true || fail "h2 does not serve"
exit 0
