# The folder of h1 forgets its last incarnations, as after a restored backup with the clock set back. The next daemon
# calls itself by a number that the others have met already: they tell it, and it begins again with a larger one.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

# Of the daemons of h1, as its log has them.
incarnations() { sed -n 's/.*host h1 is ready: incarnation \([0-9]*\),.*/\1/p' h1.log; }

agree
configure 3
printf '[audit]\nfile = "h1.audit"\n' >>h1.toml
start_all
kill_machine 1
cp h1/host host.earlier
# Each start takes the next number, or that of the present minute if it is larger.
for _ in 1 2 3; do
    start 1
    run 1 --lock a --timeout 30s -- true || fail "h1 is not served after a restart"
    kill_machine 1
done
met=$(incarnations | tail -n 1)
cp host.earlier h1/host
start 1
wait_until 20 "h1 is told" contains 'has met a later daemon of this host: the clock was set back, or h1 was put back' h1.log
wait_until 20 "h1 begins again" eval '[ "$(incarnations | wc -l)" -eq 6 ]'
refused=$(incarnations | sed -n 5p)
again=$(incarnations | sed -n 6p)
[ "$refused" -lt "$met" ] || fail "h1 did not begin with a number of the past: $refused, $met"
[ "$again" -gt "$met" ] || fail "h1 did not begin again with a larger number: $again, $met"
run 1 --lock a,b --permit builds --timeout 30s -- true || fail "h1 is not served"
one_token_each a b c
"$ALLOT" log h1.audit --event disowned --json | grep -q 'has met a later daemon of this host' || fail "no line in the audit log"
exit 0
