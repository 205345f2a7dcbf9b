# A daemon adopts only leases that have the receipts of its host. Forged ones, and those of another key, are lost: their
# programs have stopped before anybody else gets what they held, and one line of the log and of the audit log says why.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "3s"\ngrace = "1s"\nsilence = "1s"\nreturn_within = "2s"'
configure 2
rm -f h1.audit
printf '[audit]\nfile = "h1.audit"\n' >>h1.toml
start_all

# works LOCK: a command holds it, and notes every moment in which it runs. When the guardian knows it, its wrapper is
# killed, so that only the guardian can stop it.
works() {
    rm -f "$1".*
    "$ALLOT" run --socket ./h1.sock --lock "$1" -- \
        bash -c "echo \$\$ >$1.in; while :; do date +%s%N >$1.new; mv $1.new $1.last; sleep 0.01; done" 2>"$1.err" &
    wrapper=$!
    started+=($!)
    wait_until 20 "the command of $1 works" test -s "$1.last"
    wait_until 20 "the guardian keeps the lease of $1" is_guarded "$1" 1
    kill -KILL $wrapper
}
is_lost() {
    "$ALLOT" run --socket ./h2.sock --lock "$1" --timeout 30s -- bash -c "date +%s%N >$1.next" ||
        fail "$2: the lock $1 is not given out"
    wait_until 20 "the command of $1 is stopped" not_running "$(cat "$1.in")"
    [ "$(cat "$1.last")" -lt "$(cat "$1.next")" ] || fail "$2: the command of $1 ran beside the next user of its lock"
}
# says_why COUNT REASON
says_why() {
    [ "$(grep -c "not adopted: $2" h1.log)" -eq "$1" ] || fail "there are not $1 lines about: $2"
    [ "$("$ALLOT" log h1.audit --event unadopted | grep -c "not adopted: $2")" -eq "$1" ] ||
        fail "the audit log has not $1 lines about: $2"
}
[ "$(stat -c %a h1/receipts)" = 600 ] || fail "others can read the key"

# As usual: with the same key all of them go on.
works usual
library common 1 common
kill_host 1
start 1
run 2 --lock usual --timeout 5s -- touch wrong 2>/dev/null
[ $? -eq 121 ] || fail "a lease with its receipt is not adopted"
running "$(cat usual.in)" || fail "a command whose lease has its receipt was stopped"
tell common
has_answered() { [ "$(wc -l <common.out)" -eq 2 ]; }
wait_until 20 "the program answers" has_answered
[ "$(sort -u common.out | wc -l)" -eq 1 ] || fail "the program does not hold what it held: $(cat common.out)"
says_why 0 ''

# Forged while there is no daemon.
kill_host 1
"$FORGER" "$PWD/h1" >forged || fail "nothing can be forged"
[ "$(cat forged)" = $'1 charges\n1 notes' ] || fail "not both were forged: $(cat forged)"
start 1
is_lost usual forged
has_lost() {
    tell common
    contains '^lost: ' common.out
}
wait_until 20 "the program is told that its lease is lost" has_lost
says_why 2 'its receipt is not one of this host'
run 1 --lock usual,common --timeout 20s -- true || fail "h1 does not serve again"

# Another key.
works other
kill_host 1
rm h1/receipts
start 1
is_lost other 'another key'
says_why 3 'its receipt is not one of this host'
run 1 --lock other --timeout 20s -- true || fail "h1 does not serve again"
[ ! -e wrong ] || fail "somebody ran who was not granted"
exit 0
