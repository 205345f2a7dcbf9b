# Hosts that come, go or come back in a way that could break a promise: with an empty disk, without having joined, as the
# last voter that answers, or drained with programs. Each is refused or goes on, and says why.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

cluster() { local i=$1; shift; timeout 30 "$ALLOT" cluster "$@" --socket "./h$i.sock" 2>&1; }
run() { local i=$1; shift; timeout 60 "$ALLOT" run --socket "./h$i.sock" "$@" 2>&1; }
expect() { [[ $1 == *"$2"* ]] || fail "expected \"$2\", found: $1"; }
kept_by() { cluster "$1" show | grep -q "kept by $2\$"; }
says() { "$ALLOT" status --socket "./h$1.sock" 2>&1 | grep -q "$2"; }

# --- The founder of a cluster loses its disk: it does not found another one.
agree $'lease = "3s"\nsilence = "1s"'
configure 1
start_all
for i in 2 3; do
    newcomer $i
    expect "$(join $i 1)" "host h$i is in the cluster"
    start $i
    wait_until 20 "h$i takes part" members_are 1 "$(seq -s, -f 'h%g' $i)"
done
wait_until 20 "three hosts keep the register" kept_by 1 'h1, h2, h3'
hold one 2 --lock db
kill_machine 1
rm -rf h1
start 1
wait_until 10 "h1 says what it needs" says 1 'the state folder of this host is empty; `allot cluster init'
run 1 --lock db --timeout 2s -- touch wrong && fail "h1 grants a lock that h2 holds"
stop 1
expect "$(join 1 2)" 'host h1 is in the cluster'
start 1
wait_until 20 "h1 takes part again" members_are 2 h1,h2,h3
run 1 --lock other --timeout 20s -- true || fail "h1 does not serve again"
let_go one

# --- Nobody is expelled without whom the register stands still.
cluster 1 voters h1 >/dev/null
wait_until 20 "h1 alone keeps the register" kept_by 2 h1
cluster 1 voters auto >/dev/null
wait_until 20 "three hosts keep the register" kept_by 1 'h1, h2, h3'
kill_machine 3
expect "$(cluster 1 expel h2 --certified)" 'without it no majority of those that do can be reached'
has_member 1 h2 || fail "an order that was refused has removed h2"
# The one that answers keeps the register, not the one that has died.
cluster 1 leave >/dev/null
wait_until 20 "the daemon of h1 ends" not_running "${process[1]}"
kept_by 2 h2 || fail "not h2 alone: $(cluster 2 show)"
run 2 --lock db --timeout 20s -- true || fail "h2 does not serve"
start 3
wait_until 20 "h3 is back" members_are 2 h2,h3

# --- A host that nobody else can follow stays, and says so.
kill_machine 3
cluster 2 drain h3 >/dev/null || fail "h3 cannot be drained"
expect "$(cluster 2 leave)" 'no other host serves'
cluster 2 drain h3 --undo >/dev/null || fail "h3 cannot be let serve again"
cluster 2 leave >/dev/null || fail "h2 cannot leave"
wait_until 10 "h2 says that it must stay" says 2 'no other one can keep the register'
cluster 2 drain h2 --undo >/dev/null || fail "leaving cannot be undone"
run 2 --lock db --timeout 20s -- true || fail "h2 does not serve after that"
start 3
wait_until 20 "h3 is back" members_are 2 h2,h3

# --- A drained host: its programs go on, also under its next daemon.
hold two 3 --lock db
cluster 2 drain h3 >/dev/null
kill_host 3
start 3
wait_until 20 "h3 is a member again" has_member 2 h3
sleep 4  # longer than a lease
running "$(cat two.in)" || fail "the program of a drained host was stopped: $(cat two.err)"
let_go two
wait_until 20 "h3 is not in the view" members_are 2 h2
expect "$(cluster 3 drain h3 --undo)" 'ask at another one'
expect "$("$ALLOT" status --socket ./h3.sock)" 'an operator drains this host'

# --- A host that was lost while it left is out.
cluster 2 drain h3 --undo >/dev/null
wait_until 20 "h3 is back" members_are 2 h2,h3
hold three 3 --lock db
cluster 3 leave >/dev/null
kill_machine 3 three
wait_until 30 "h3 is out" grep -q 'host h3: leaving at .* -> out at' h2.log
: >h3.log
start 3
wait_until 30 "h3 hears why nobody talks to it" grep -q 'refused: host h3 is not in the cluster; `allot cluster join`' h3.log
expect "$("$ALLOT" status --socket ./h3.sock)" '`allot cluster join ADDRESS --config FILE`'
[ ! -e wrong ] || fail "two programs held one lock"
exit 0
