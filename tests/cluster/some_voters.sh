# One of three voters never comes. `allot cluster init --voters h1,h2` on the other two forms the register without it.
# When h3 comes after all, with the list of its file, it is told what to do and splits nothing.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }
init() {
    local i=$1
    shift
    "$ALLOT" cluster init --config "h$i.toml" "$@" >out.txt 2>err.txt
}
# refused EXPECTED HOST FLAGS...
refused() {
    local expected=$1
    shift
    init "$@"
    [ $? -eq 2 ] && [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -qF -- "$expected" err.txt ||
        fail "not refused with \"$expected\": cluster init $*: $(cat out.txt err.txt)"
}

agree
configure 3
for i in 1 2 3; do printf '[audit]\nfile = "h%s.audit"\n' $i >>h$i.toml; done
with_page 3
start 1
start 2
wait_until 20 "h1 says who is missing" says 1 'h3 (.*:7403) is missing'
refused 'h1: another daemon runs with this state folder' 1 --voters h1,h2
stop 1
stop 2

# No list lets two registers form.
refused '--voters h1: write more than half of h1, h2, h3, so that the others cannot form a second register' 1 --voters h1
refused '--voters h1,h4: "h4" is no voter of the configuration; there is h1, h2, h3' 1 --voters h1,h4
refused '--voters h1,h1: "h1" is there twice' 1 --voters h1,h1
contains initialised h1.audit && fail "what was refused is in the audit log"

# If only one of them is told, nobody forms.
init 1 --voters h1,h2 || fail "h1: $(cat err.txt)"
contains 'views begin after 0, the register is kept by h1 and h2' out.txt || fail "h1 does not say so: $(cat out.txt)"
start 1
start 2
wait_until 20 "h1 names the difference" contains 'host h2 lists the voters h1, h2, h3; this host lists h1, h2: write the same' h1.log
run 1 --lock a --timeout 500ms -- true 2>/dev/null
[ $? -eq 121 ] || fail "a lock was given out though only h1 was told"
stop 2
init 2 --voters h2,h1 || fail "h2: $(cat err.txt)"
start 2
for i in 1 2; do run $i --lock a,b --permit builds --timeout 20s -- true || fail "h$i is not served"; done
"$ALLOT" log h1.audit --event initialised --json | grep -q '"user":"'"$(id -un)"'".*"reason":"views begin after 0, the register is kept by h1 and h2"' ||
    fail "no line in the audit log: $(cat h1.audit)"

# h3 comes with the list of its file.
hold steady 1 --lock a
start 3
wait_until 20 "h3 is told what to do" contains 'this host does not take part: stop it, and tell it with `allot cluster init --voters h1,h2 --config FILE`' h3.log
wait_until 20 "h1 knows, too" contains 'that host does not take part: stop it, and tell it with `allot cluster init --voters h1,h2 --config FILE`' h1.log
wait_until 20 "status of h3 says so" says 3 'cluster init --voters h1,h2'
page /health | grep -q '^HTTP.* 503' || fail "h3 says that it is healthy: $(page /health)"
run 3 --lock a --timeout 500ms -- true 2>/dev/null
[ $? -eq 121 ] || fail "h3 grants though it has no register"
running "$(cat steady.in)" || fail "h3 disturbs a holder"
run 2 --lock b --timeout 20s -- true || fail "h3 disturbs h2"

# With a wrong list h3 does not even go on.
stop 3
init 3 --voters h2,h3 || fail "h3: $(cat err.txt)"
timeout 30 "$ALLOT" node --config h3.toml 2>h3.err
[ $? -eq 1 ] && contains 'lists the voters h1, h2; this host lists h2, h3' h3.err || fail "h3 runs with a list of its own: $(cat h3.err)"

# Once it is told, it takes part without a vote.
init 3 --voters h1,h2 || fail "h3 again: $(cat err.txt)"
start 3
run 3 --lock b --permit builds --timeout 20s -- true || fail "h3 is not served"
run 3 --lock a --no-wait -- true 2>/dev/null
[ $? -eq 120 ] || fail "h3 gets a lock that h1 holds"
let_go steady
stop 3
refused 'this host has worked in view' 3 --voters h1,h2

# The record on the disks rules from now on: both voters are needed after a power cut, and are enough.
kill_machine 1
kill_machine 2
start 1
run 1 --lock a --timeout 1s -- true 2>/dev/null
[ $? -eq 121 ] || fail "one of two voters grants"
start 2
run 1 --lock a,b --permit builds --timeout 30s -- true || fail "two of two voters do not serve"
exit 0
