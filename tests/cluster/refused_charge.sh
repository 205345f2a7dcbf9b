# The guardian cannot keep a command, and the daemon is killed before it hears of that. The next daemon knows the lease
# from its ledger: nobody else gets the lock while the command runs.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 2
start_all
guardian=$(pgrep -f "allot guardian --folder $PWD/h1 ")
[ -n "$guardian" ] || fail "there is no guardian"
pidfds() { ls -l "/proc/${process[1]}/fd" 2>/dev/null | grep -c pidfd; }
before=$(pidfds)

kill -STOP "$guardian"
prlimit --pid "$guardian" --nofile=200: || fail "the limit of the guardian cannot be lowered" # it needs 256 for itself
hold job 1 --lock kept
sends_charge() { [ "$(pidfds)" -ge $((before + 3)) ]; }
wait_until 20 "the daemon follows the command" sends_charge
kill_host 1
kill -CONT "$guardian"
wait_until 20 "the guardian refuses" contains 'cannot keep .*too many descriptors' h1.log
prlimit --pid "$guardian" --nofile=1024: || fail "the limit of the guardian cannot be raised"

start 1
running "$(cat job.in)" || fail "the command has ended: $(cat job.err)"
for i in 1 2; do
    run $i --lock kept --timeout 3s -- touch wrong 2>/dev/null
    [ $? -eq 121 ] || fail "h$i gives out what the command holds"
done
running "$(cat job.in)" || fail "the command has ended: $(cat job.err)"
let_go job
run 2 --lock kept --timeout 20s -- true || fail "the lock is not given back"
[ ! -e wrong ] || fail "somebody ran who was not granted"
exit 0
