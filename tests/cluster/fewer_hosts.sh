# All hosts are stopped, one is taken out of the files, and the others start again: the files are not obeyed, two of the
# three voters are left, and say whom they miss as long as they are not both there.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree
configure 3
start_all
run 3 --lock a -- true || fail "three hosts do not serve"
for i in 1 2 3; do stop $i; done
for i in 1 2; do sed -i '/^h3 = /d' h$i.toml; done
start 1
wait_until 20 "h1 says whom it misses" contains \
    'nothing is granted here: this host votes again when h2 (.*) and h3 (.*) have said what it voted before' h1.log
start 2
for i in 1 2; do run $i --lock a --permit builds --timeout 30s -- true || fail "h$i does not serve without h3: $(cat h$i.log)"; done
exit 0
