# Semaphores are made, resized and removed while programs use them, from any host, and the register keeps that: the files
# of the hosts are not obeyed any more. Nobody loses what it has; nobody gets more than there is.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

cluster() { "$ALLOT" cluster "$@" 2>&1; }
run() { timeout 30 "$ALLOT" run "$@" 2>&1; }
expect() { [[ $1 == *"$2"* ]] || fail "expected \"$2\", found: $1"; }

configure 3
start_all

# --- Growing: at once, on all hosts.
expect "$(cluster set builds=5 --dry-run --socket ./h1.sock)" 'would change semaphore builds: 2 permits -> 5 permits'
expect "$(cluster show --json --socket ./h1.sock)" '"builds":{"permits":2,'
expect "$(cluster set builds=5 --socket ./h2.sock)" 'semaphore builds: 2 permits -> 5 permits'
expect "$(cluster show --json --socket ./h2.sock)" '"builds":{"permits":5,"max_request":5}'
mkfifo held.fifo
"$ALLOT" run --permit builds=4 --socket ./h3.sock -- cat held.fifo >/dev/null 2>&1 &
holder=$!
started+=("$holder")
exec 9>held.fifo  # returns when the program has opened it, so it holds the units

# --- Shrinking: nothing is taken away, and nobody else gets a unit before enough are given back.
expect "$(cluster set builds=2 --socket ./h1.sock)" '5 permits -> 2 permits'
expect "$(run --permit builds=1 --timeout 300ms --socket ./h2.sock -- true)" '4 of 2 units of semaphore builds are held on host h3'
running "$holder" || fail "a holder was stopped"
"$ALLOT" run --permit builds=2 --socket ./h2.sock -- touch served >/dev/null 2>&1 9>&- &
started+=($!)
exec 9>&-
wait_until 10 "the next program is served" test -e served

# --- A program that waits for more than there is now is refused with the reason.
"$ALLOT" run --permit builds=2 --socket ./h1.sock -- cat held.fifo >/dev/null 2>&1 &
started+=($!)
exec 9>held.fifo
"$ALLOT" run --permit builds=2 --socket ./h3.sock -- true >refused 2>&1 9>&- &
waiter=$!
started+=("$waiter")
wait_until 10 "a program waits" sh -c "'$ALLOT' status --json --socket ./h1.sock | tr -d ' \n' | grep -q '\"waiters\":\[{'"
expect "$(cluster set builds=1 --socket ./h2.sock)" '2 permits -> 1 permit'
wait "$waiter"
[ $? -eq 119 ] || fail "not refused: $(cat refused)"
expect "$(cat refused)" 'semaphore builds has only 1 permit now'
exec 9>&-

# --- New ones and removed ones.
expect "$(cluster set licences=3 licences.max_request=2 --socket ./h1.sock)" 'licences: none -> 3 permits, at most 2 for one request'
expect "$(run --permit licences=3 --socket ./h2.sock -- true)" 'licences=3: write a number from 1 to 2'
run --permit licences=2 --socket ./h3.sock -- true || fail "a new semaphore is not served"
expect "$(cluster set licences=0 --socket ./h3.sock)" 'licences: 3 permits, at most 2 for one request -> none'
expect "$(run --permit licences=1 --socket ./h2.sock -- true)" 'licences: no such semaphore; there is builds'

# --- Wrong orders change nothing.
before=$(cluster show --json --socket ./h1.sock)
expect "$(cluster set --socket ./h1.sock)" 'write a semaphore and its permits, as in builds=5'
expect "$(cluster set builds --socket ./h1.sock)" 'builds: write the name of a semaphore and its permits'
expect "$(cluster set builds=many --socket ./h1.sock)" 'builds=many: write a number of permits from 1 to 10000, or 0 to remove it'
expect "$(cluster set builds=10001 --socket ./h1.sock)" 'builds=10001: write a number of permits'
expect "$(cluster set licences=0 --socket ./h1.sock)" 'no such semaphore'
expect "$(cluster set builds=7 licences=0 --socket ./h1.sock)" 'no such semaphore'
expect "$(cluster frob --socket ./h1.sock)" 'no such action'
[ "$(cluster show --json --socket ./h1.sock)" = "$before" ] || fail "a wrong order has changed something"

# --- The register keeps it, whoever restarts; a file is applied only by order.
for i in 1 2 3; do stop "$i"; done
start_all
expect "$(cluster show --json --socket ./h3.sock)" '"semaphores":{"builds":{"permits":1,"max_request":1}}'
contains 'bootstrap.semaphores.builds is 2 permits in the file of this host; the cluster has 1 permit, which counts' h1.log || fail "the file is not compared"
expect "$(cluster apply h1.toml --dry-run --socket ./h1.sock)" 'would change semaphore builds: 1 permit -> 2 permits'
expect "$(cluster apply h1.toml --socket ./h1.sock)" 'builds: 1 permit -> 2 permits'
expect "$(cluster apply h1.toml --socket ./h1.sock)" 'nothing changes'
