# A daemon is stopped in order while its goodbye cannot be heard, where the kernel tells the others that its process has
# ended: they do not take that for a crash, and it goes on where it was.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

detector=$'heartbeat = "100ms"\ndead_after = "1s"\nstop_within = "1s"'
for pair in 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done
configure 3
start_all
hold patient 3 --lock kept

back() {
    fault heal
    start 3
    wait_until 20 "h3 is back ($1)" sees_up 1 h3
    running "$(cat patient.in)" || fail "$1: who held a lock at h3 was stopped: $(cat patient.err)"
    run 1 --lock kept --no-wait -- true 2>/dev/null
    [ $? -eq 120 ] || fail "$1: what is held at h3 is given to others"
}
sees_up() { "$ALLOT" status --socket "./h$1.sock" | grep -q "^$2 .*up .*h1 up, h2 up"; }
down_at() { # so many links were seen to fall silent
    [ "$(grep -c 'host h3 is down: nothing was heard' "h$1.log")" -ge "$2" ]
}

# Its own report: the link is down, and an attempt was closed.
has_no_link_to_h3() { "$ALLOT" status --socket "./h$1.sock" | grep -q "^h$1 (here) .* h3 down (.*closed in the handshake"; }

fault blackhole
stop 3
wait_until 20 "h1 hears nothing" down_at 1 1
wait_until 20 "h2 hears nothing" down_at 2 1
back "a goodbye that is held back"

fault refuse
fault cut
stop 3
back "links that were cut just before"

fault refuse
fault cut
wait_until 20 "h1 has no link to h3 and is refused another" has_no_link_to_h3 1
wait_until 20 "h2 has no link to h3 and is refused another" has_no_link_to_h3 2
sleep 2
stop 3
back "links that were cut long before"

let_go patient
one_token_each kept lock{0..5}
grep 'the process of incarnation' h?.log && fail "the end of a process was taken for a crash"
exit 0
