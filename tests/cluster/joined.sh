# Hosts join, drain, leave and are expelled while programs hold and wait, and the voters follow: from one host to five and
# back. Nobody loses what it has, and what is refused says why. With another engine no host votes.
engine=${engine:-hosts}
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

cluster() { local i=$1; shift; timeout 30 "$ALLOT" cluster "$@" --socket "./h$i.sock" 2>&1; }
run() { local i=$1; shift; timeout 60 "$ALLOT" run --socket "./h$i.sock" "$@" 2>&1; }
expect() { [[ $1 == *"$2"* ]] || fail "expected \"$2\", found: $1"; }
shown() { cluster "$1" show --json | tr -d ' \n'; }
# voters HOST: as that host knows them, as in h1,h2
voters() { shown "$1" | sed 's/.*"voters":\[\([^]]*\)\].*/\1/; s/"//g'; }
voters_are() { [ "$engine" != hosts ] || [ "$(voters "$1")" = "$2" ]; }

agree
configure 1
start_all
voters_are 1 h1 || fail "one host does not vote: $(voters 1)"

# A program holds a lock through all of what follows.
hold patient 1 --lock kept

# --- Joining, one after another.
newcomer 2
sed -i '/^address/d' h2.toml
expect "$(join 2 1)" 'write where the other hosts reach this one, as in address = "10.0.0.4:7400"'
newcomer 2
expect "$(join 2 9)" "$loopback:7409: "
expect "$(join 2 1)" 'host h2 is in the cluster of h1, h2; start it: allot node --config h2.toml'
start 2
wait_until 20 "h2 takes part" members_are 1 h1,h2
for i in 3 4 5; do
    newcomer $i
    expect "$(join $i $((i - 1)))" "host h$i is in the cluster"
    start $i
    wait_until 20 "h$i takes part" members_are 1 "$(seq -s, -f 'h%g' $i)"
done
hosts=5
wait_until 20 "five hosts keep the register" voters_are 1 h1,h2,h3,h4,h5
for i in 1 2 3 4 5; do
    wait_until 10 "h$i knows the voters" voters_are $i h1,h2,h3,h4,h5
    run $i --lock free --permit builds --timeout 20s -- true || fail "h$i does not serve: $(cat h$i.log)"
    expect "$(run $i --lock kept --timeout 500ms -- true)" 'kept'
done

# --- Draining: no new requests, and no part in views until it is undone.
expect "$(cluster 1 drain h9)" 'h9: no such host; there is h1, h2, h3, h4, h5'
expect "$(cluster 1 drain h5 --dry-run)" 'would change host h5: in'
expect "$(cluster 1 drain h5)" '-> drained at'
wait_until 20 "h5 is not in the view" members_are 1 h1,h2,h3,h4
expect "$(run 5 --lock free -- true)" 'an operator drains this host; ask at another one'
expect "$(cluster 2 drain h5 --undo)" 'drained at'
wait_until 20 "h5 is back" members_are 1 h1,h2,h3,h4,h5
run 5 --lock free --timeout 20s -- true || fail "h5 does not serve again"

# --- Leaving: the vote is handed on first, and the daemon ends.
expect "$(cluster 5 leave)" '-> leaving at'
wait_until 20 "the daemon of h5 ends" not_running "${process[5]}"
wait "${process[5]}" || fail "h5 did not end in order"
wait_until 20 "three hosts keep the register" voters_are 1 h1,h2,h3
members_are 1 h1,h2,h3,h4 || fail "members: $(members 1)"
expect "$("$ALLOT" node --config h5.toml 2>&1)" 'h5: this host is not in the cluster any more; `allot cluster join ADDRESS'

# --- Expelling a machine that died: at once, if an operator says that it is off.
expect "$(cluster 4 expel h4)" 'a host does not expel itself'
kill_machine 4
expect "$(cluster 1 expel h4 --certified)" '-> out at'
wait_until 5 "h4 is gone" members_are 2 h1,h2,h3
run 2 --lock free --timeout 20s -- true || fail "h2 does not serve"
let_go patient

if [ "$engine" != hosts ]; then
    expect "$(cluster 1 voters h2)" "the register has the engine $engine: no host keeps it"
else
    # --- The only voter stops in order, and hands its vote on.
    expect "$(cluster 1 voters h1,h2)" 'write an odd number of hosts'
    expect "$(cluster 1 voters h1,h4,h2)" 'h4: no such host'
    expect "$(cluster 1 voters h2)" 'voters: as many as the hosts need -> h2'
    wait_until 20 "h2 alone keeps the register" voters_are 3 h2
    expect "$(cluster 1 expel h2)" 'it was chosen to keep the register; choose others first'
    expect "$(cluster 1 voters auto)" 'h2 -> as many as the hosts need'
    wait_until 20 "three hosts keep the register again" voters_are 3 h1,h2,h3
    cluster 3 leave >/dev/null
    wait_until 20 "the daemon of h3 ends" not_running "${process[3]}"
    wait_until 20 "one host keeps the register" voters_are 2 h1
    stop 1
    wait_until 20 "h2 keeps the register" voters_are 2 h2
    run 2 --lock free --lock kept --timeout 20s -- true || fail "h2 does not serve alone: $(cat h2.log)"
    start 1
    run 1 --lock free --timeout 20s -- true || fail "h1 does not serve again"

    # --- A voter that lost its disk is replaced by itself.
    newcomer 3
    expect "$(join 3 2)" 'host h3 is in the cluster of h1, h2, h3'
    start 3
    wait_until 20 "three hosts keep the register" voters_are 1 h1,h2,h3
    kill_machine 3
    rm -rf h3
    expect "$(join 3 1)" 'host h3 is in the cluster'
    start 3
    wait_until 20 "h3 serves" run 3 --lock free --timeout 1s -- true
    kill_machine 1
    run 3 --lock free --timeout 20s -- true || fail "the new disk does not vote: $(cat h3.log)"
fi

# --- Operators may be asked first.
expect "$(cluster 2 set admission=maybe)" 'write admission=operator'
expect "$(cluster 2 set admission=operator)" 'admission: certificate -> operator'
newcomer 6
expect "$(join 6 2)" 'run `allot cluster expect h6` on a host of the cluster, then try again'
cluster 3 expect h6 >/dev/null || fail "h6 is not expected"
expect "$(join 6 2)" 'host h6 is in the cluster'
start 6
run 6 --lock free --timeout 20s -- true || fail "h6 does not serve"
exit 0
