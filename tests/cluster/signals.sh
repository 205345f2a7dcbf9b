# Signals that mean nothing do not end a daemon or its guardian; SIGQUIT stops the daemon in order, and the next one goes on
# with its programs.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 1
start_all
hold keeper 1 --lock db
guardian=$(pgrep -f "allot guardian --folder $PWD/h1 ")

for signal in USR1 USR2 ALRM VTALRM PROF IO PWR XCPU STKFLT PIPE RTMIN RTMAX HUP; do
    kill -$signal "${process[1]}" "$guardian"
    # The daemon answers after the signal.
    run 1 --lock db --no-wait -- true 2>why.txt
    [ $? -eq 120 ] || fail "after SIG$signal: $(cat why.txt)"
    running "$guardian" || fail "SIG$signal ends the guardian"
done
# SIGHUP reads the level of the log again: what it says next is not in the log, or is again.
reload() {
    sed -i '/^log_level/d' h1.toml
    sed -i "1i log_level = \"$1\"" h1.toml
    kill -HUP "${process[1]}"
    run 1 --lock db --no-wait -- true 2>why.txt # it answers after the signal
}
reloads() { grep -c 'SIGHUP: ' h1.log; }
before=$(reloads)
reload warning
contains 'SIGHUP: log_level counts from now on' h1.log || fail "it does not say that the level counts"
reload warning
reload info
[ "$(reloads)" -eq $((before + 1)) ] || fail "it says more than the level allows: $(tail -n 3 h1.log)"
reload info
[ "$(reloads)" -eq $((before + 2)) ] || fail "it says less than the level allows: $(tail -n 3 h1.log)"

for signal in QUIT TERM INT; do kill -$signal "$guardian"; done
is_guarded keeper 1 || fail "the guardian knows the program no more"
[ "$(pgrep -f "allot guardian --folder $PWD/h1 ")" = "$guardian" ] || fail "there is another guardian"

kill -QUIT "${process[1]}"
wait_until 20 "it stops" not_running "${process[1]}"
wait "${process[1]}" || fail "SIGQUIT does not stop it in order: $(tail -n 3 h1.log)"
contains 'host h1 has stopped' h1.log || fail "it does not say so"
start 1
run 1 --lock db --no-wait -- true 2>why.txt
[ $? -eq 120 ] || fail "the next daemon does not go on with the program"
let_go keeper
exit 0
