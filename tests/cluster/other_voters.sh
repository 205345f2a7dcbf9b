# Files that name different voters: the hosts say which, nobody forms a register, and nothing is granted. When the files
# agree, the hosts form it.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }
refuses() {
    run "$1" --lock a --timeout 1s -- true 2>/dev/null
    [ $? -eq 121 ] || fail "h$1 grants though the files name different voters"
}

agree
configure 3
sed -i 's/^\[bootstrap\]$/&\nvoters = ["h3"]/' h2.toml
sed -i 's/^\[bootstrap\]$/&\nvoters = ["h2"]/' h3.toml
for i in 1 2 3; do start $i; done
wait_until 20 "h1 names h2" contains 'host h2 lists the voters h3; this host lists h1, h2, h3: write the same bootstrap.hosts and bootstrap.voters everywhere' h1.log
wait_until 20 "h1 names h3" contains 'host h3 lists the voters h2; this host lists h1, h2, h3' h1.log
wait_until 20 "h2 names h3" contains 'host h3 lists the voters h2; this host lists h3' h2.log
wait_until 20 "h3 names h2" contains 'host h2 lists the voters h3; this host lists h2' h3.log
wait_until 20 "status says so" says 2 'lists h3: write the same bootstrap.hosts and bootstrap.voters everywhere'
for i in 1 2 3; do refuses $i; done
[ "$(grep -c 'lists the voters' h1.log)" -eq 2 ] || fail "h1 repeats itself: $(cat h1.log)"

for i in 2 3; do
    stop $i
    sed -i '/^voters/d' h$i.toml
    start $i
done
for i in 1 2 3; do run $i --lock a,b --permit builds --timeout 30s -- true || fail "h$i is not served with equal files"; done
exit 0
