# The register is put back from an earlier time while daemons run. They say so and obey it no more: no lease is renewed by
# it, so nothing is granted in the end.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }

agree
configure 2
start_all
cp register earlier
stop 2
start 2
run 2 --lock a --timeout 30s -- true || fail "h2 is not served when it is back"
mv earlier register
wait_until 20 "h1 says what is wrong" says 1 'this host has seen view [0-9]*: the register was wiped, or put back from an earlier time'
wait_until 20 "the log says what to do" contains 'begin again with `allot cluster init --above' h1.log
grants_nothing() { ! run 1 --lock free --timeout 300ms -- true 2>/dev/null; }
wait_until 20 "h1 grants nothing without a lease" grants_nothing
exit 0
