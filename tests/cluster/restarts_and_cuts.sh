# Orderly restarts and links that break at the same time. There is one permit, and whoever gets it looks whether the
# process that had it before still runs.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

semaphores='single = 1'
for pair in 1,2 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done

# gets_it HOST: asks for the permit there and gets it, and nobody else uses it then.
gets_it() {
    run "$1" --permit single --timeout 30s -- bash -c "kill -0 $(cat first.in) 2>/dev/null && touch overlap; true" 2>next.err ||
        fail "$case: h$1 gets no permit: $(cat next.err)"
    [ ! -e overlap ] || fail "$case: two use the permit at once"
}
# gets_it_or_waits HOST: two hosts do not hear each other, and either may be removed. The first goes on, or has stopped
# before the next begins.
gets_it_or_waits() {
    run "$1" --permit single --timeout 5s -- bash -c "kill -0 $(cat first.in) 2>/dev/null && touch overlap; true" 2>next.err
    local code=$?
    [ $code -eq 0 ] || [ $code -eq 121 ] || fail "$case: exit code $code: $(cat next.err)"
    [ ! -e overlap ] || fail "$case: two use the permit at once"
}

agree $'lease = "3s"\ngrace = "500ms"\nsilence = "1s"'
configure 3
start_all

case="a link is cut while the holder's host restarts"
hold first 2 --permit single
stop 2
cut_off 1,2
start 2
gets_it_or_waits 1
case_ends

case="the holder's host is cut off while another restarts"
hold first 2 --permit single
stop 1
cut_off 1,2 2,3
start 1
gets_it 3
case_ends

case="a host is killed that did not hear the holder's"
hold first 2 --permit single
fault blackhole 1,2
wait_until 10 "$case: h1 does not hear h2" contains 'link to host h2 is down: nothing was heard' h1.log
kill_host 1
fault heal 1,2
start 1
cut_off 2,3
gets_it_or_waits 3
case_ends

case="the holder's host is cut off for long, and restarts"
hold first 2 --permit single
fault blackhole 1,2 2,3
wait_until 20 "$case: the holder is stopped" not_running "$(cat first.in)"
stop 2
start 2
gets_it 3
case_ends

case="the holder's host is stopped for good"
hold first 2 --permit single
ask second 3 --permit single --timeout 40s
wait_until 10 "$case: the other waits" waits_for single 1 3
stop 2
wait_until 30 "$case: the other gets it" granted second
not_running "$(cat first.in)" || fail "$case: two use the permit at once"
wait "${asker[first]}"
[ $? -eq 122 ] || fail "$case: who held the permit was not told that it is lost: $(cat first.err)"
let_go second
start 2
case_ends
exit 0
