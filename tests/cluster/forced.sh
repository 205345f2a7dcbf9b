# `allot release --force`: the holder is ended first, on whichever host it runs, and the next waiter enters after that.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree
configure 2
rm -f audit[12]
for host in 1 2; do printf '[audit]\nfile = "audit%s"\n' $host >>h$host.toml; done
start_all

force() { timeout 50 "$ALLOT" release --socket "./h$1.sock" --force "${@:2}"; }
# ended NAME: `allot run` says that its lease was lost, by order.
ended() {
    wait "${asker[$1]}"
    [ $? -eq 122 ] || fail "$1 does not say that it lost the lock: $(cat "$1.err")"
    contains 'root ordered its release' "$1.err" || fail "$1 does not say why: $(cat "$1.err")"
    not_running "$(cat "$1.in")" || fail "the command of $1 still runs"
}

# --- The holder runs here, and elsewhere; somebody waits.
for host in 1 2; do
    hold holder $host --lock db
    ask next 1 --lock db
    wait_until 20 "next waits" waits_for db 1 1
    force 1 db >released || fail "db is not released: $(cat released)"
    contains "db: released; bash .* of host h$host) held it with fence [0-9]" released || fail "it says: $(cat released)"
    ended holder
    wait_until 20 "next is served" granted next
    let_go next
done
contains '"event":"order","user":"root","resources":.{"name":"db","fence":"[0-9]*"}.,"reason":"release of db, fence [0-9]*, by root"' audit1 ||
    fail "the audit log does not say who ordered it"
# The host of the program says so, too, and does not say that the program gave the lock back.
contains '"event":"order".*"name":"db".*"reason":"root ordered its release at h1"' audit2 || fail "the log of h2 does not know the order"
for host in 1 2; do
    [ "$(grep -c '"event":"lost".*"name":"db".*"reason":"root ordered its release at h1"' audit$host)" -eq 1 ] ||
        fail "the log of h$host does not say why its program lost db: $(cat audit$host)"
done
contains '"event":"released"' audit2 && fail "the log of h2 says that its program gave db back"

# --- The wrapper is stopped, and the command does not hear SIGTERM: the guardian kills it. Nobody enters before.
"$ALLOT" run --socket ./h2.sock --lock db -- bash -c 'trap "" TERM; echo $$ >deaf.in; while :; do read -rt 1 <> <(:); done' 2>/dev/null &
wrapper=$!
started+=($!)
wait_until 20 "the deaf command runs" granted deaf
kill -STOP $wrapper
ask next 1 --lock db
wait_until 20 "next waits" waits_for db 1 1
force 1 db >/dev/null || fail "a deaf command is not ended"
wait_until 20 "next is served" granted next
# Its parent is stopped, so what is left of the command is a zombie.
[[ "$(ps -o stat= -p "$(cat deaf.in)")" == Z* ]] || fail "the deaf command runs beside the next holder"
kill -KILL $wrapper
let_go next

# --- A program that nobody can stop is told, and has the time of a lease to give the lock back.
library program 1 db
"$ALLOT" status --socket ./h1.sock | grep -q 'db .*holds, fenced' || fail "the lease is not shown as fenced: $("$ALLOT" status --socket ./h1.sock)"
force 2 db >/dev/null || fail "a program of the library keeps db"
run 1 --lock db --timeout 10s -- true || fail "db is not free"
tell program .
[ "$(grep -c '"event":"lost".*"name":"db".*"reason":"root ordered its release at h2; it did not give it back in time"' audit1)" -eq 1 ] ||
    fail "the log of h1 does not say why the program of the library lost db: $(cat audit1)"

# --- A semaphore has several holders: all of them are ended.
hold first 1 --permit builds
hold second 2 --permit builds
ask next 1 --permit builds
wait_until 20 "next waits" waits_for builds 1 1
force 1 builds >released || fail "builds is not released: $(cat released)"
[ "$(grep -c '^builds: released; bash .* of host h[12]) held it' released)" -eq 2 ] || fail "it says: $(cat released)"
ended first
ended second
wait_until 20 "next is served" granted next
let_go next
contains '"event":"order".*"resources":.{"name":"builds"}.*release of all permits of builds, by root' audit1 || fail "the audit log does not name builds"
contains '"event":"lost".*"name":"builds".*root ordered its release at h1' audit2 || fail "the log of h2 does not say why builds was lost"

# --- A lock of the same name, which only has waiters, does not hide the semaphore.
hold other 1 --lock db
ask both 1 --lock db,builds
hold first 2 --permit builds
wait_until 20 "both waits for the lock builds" waits_for builds 1 1
force 1 builds >released || fail "the semaphore builds is not released: $(cat released)"
contains '^builds: released; bash .* of host h2) held it' released || fail "it says: $(cat released)"
ended first
let_go other
wait_until 20 "both is served" granted both
let_go both

# --- Refusals.
force 1 db 2>why && fail "a lock is released that nobody holds"
contains 'db: nobody holds this lock' why || fail "it says: $(cat why)"
"$ALLOT" release --socket ./h1.sock db 2>why
[ $? -eq 1 ] && contains 'write --force' why || fail "it says: $(cat why)"
hold holder 1 --lock db
chmod 777 . h1.sock
setpriv --reuid nobody --regid nogroup --clear-groups "$ALLOT" release --socket "$PWD/h1.sock" --force db 2>why
[ $? -eq 119 ] && contains 'nobody may not give orders here; on this machine root may' why || fail "it says: $(cat why)"
let_go holder

# --- The host of a program stops answering when the program was told: nobody knows whether that holds the lock.
library program 2 gpu
force 1 --timeout 2s gpu >released 2>why &
order=$!
wait_until 20 "h2 knows the order" contains '"event":"order".*"name":"gpu"' audit2
kill -STOP "${process[2]}"
wait $order
[ $? -eq 121 ] && contains 'gpu: holder .* was told to stop, and its host h2 does not answer, so it may still hold it' why ||
    fail "it says: $(cat released why)"

# --- The other host is stopped: nobody knows what its programs hold. Its link is lost later.
force 1 db 2>why
[ $? -eq 1 ] && contains 'db: nobody holds this lock, or .*; no answer from h2' why || fail "it says: $(cat why)"
kill_host 2
hold holder 1 --lock db
force 1 db >released 2>why || fail "db is not released: $(cat why)"
contains 'db: these hosts cannot be reached, and were not told: h2' why || fail "it says: $(cat why)"
ended holder
exit 0
