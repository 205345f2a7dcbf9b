# The register is put back from an earlier time while daemons run. They say so and obey it no more: no lease is renewed by
# it, so nothing is granted in the end. An operator begins again, above all views that this host or the register had.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }

fence_at() { run "$1" --lock fenced --timeout 30s -- bash -c 'echo $ALLOT_FENCE' || fail "h$1 is not served"; }
init() { timeout 20 "$ALLOT" cluster init --config h1.toml "$@" 2>&1; }

agree
configure 2
start_all
cp register earlier
stop 2
start 2
run 2 --lock a --timeout 30s -- true || fail "h2 is not served when it is back"
last=$(fence_at 1)
mv earlier register
wait_until 20 "h1 says what is wrong" says 1 'this host has seen view [0-9]*: the register was wiped, or put back from an earlier time'
wait_until 20 "the log says what to do" contains 'begin again with `allot cluster init --above' h1.log
grants_nothing() { ! run 1 --lock free --timeout 300ms -- true 2>/dev/null; }
wait_until 20 "h1 grants nothing without a lease" grants_nothing

for i in 1 2; do stop $i; done
held=$(init --above 1 | sed -n 's/.*register holds view \([0-9]*\): write --above \1 or more$/\1/p')
[ "${held:-0}" -gt 1 ] || fail "init goes below the register: $(init --above 1)"
above=$(init --above "$held" | sed -n 's/.*this host has worked in view [0-9]*: write --above \([0-9]*\) or more$/\1/p')
[ "${above:-0}" -ge $((last >> 40)) ] || fail "init goes below the views of this host: $(init --above "$held")"
rm register
init | grep -q "write --above $above or more" || fail "without a register init begins below the views of this host: $(init)"
init --above "$above" >/dev/null || fail "no register above $above"
for i in 1 2; do start $i; done
[ "$(fence_at 2)" -gt "$last" ] || fail "fences do not grow"
exit 0
