# A process with the name, and the certificate if there were any, of a member sends what no host can send: a message to a
# seat beyond all others, then a view with a member that is no host, then a message that is too long. The others close the
# link with the reason, say which host misbehaves, and go on; nobody's memory grows, and no lock is lost.
engine=hosts # no kernel says that the member has ended
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
agree $'lease = "3s"\nsilence = "1s"\nreturn_within = "4s"'
configure 3
for i in 1 2 3; do printf '[limits]\nsessions = 100\nlocks_per_request = 4\n' >>h$i.toml; done # so no message has more than 64 MiB
with_page 1
start_all
hold keeper 1 --lock kept
before=$(memory_kb)

# attack KIND NUMBER
attack() {
    "$HOSTILE" h3.toml "$1" "$2" >"$1.txt" 2>&1 || fail "$1: the links stay open: $(cat "$1.txt")"
    for i in 1 2; do
        running "${process[$i]}" || fail "$1 ended the daemon of h$i: $(tail -n 2 "h$i.log")"
        contains "link to host h3 is closed: it sent a message that cannot be right: $3" "h$i.log" || fail "h$i does not say why: $1"
    done
    cat "$1.txt"
}

kill_host 3
unset "process[3]"
attack frame 100 'a seat beyond the last one'
not_healthy || fail "h1 is healthy though h3 misbehaves"
page /health | grep -q 'h3 misbehaves' || fail "the page does not say who misbehaves: $(page /health)"
page /metrics >metrics.txt
contains 'allot_link_shunned_total{host="h3"} 1' metrics.txt && contains 'allot_hosts_erring 1' metrics.txt ||
    fail "the metrics do not say who misbehaves: $(grep -E 'shunned|erring' metrics.txt)"
"$ALLOT" status --socket ./h2.sock | grep -q 'h3 misbehaves' || fail "the status does not say who misbehaves"
[ "$(grep -c 'is closed: it sent a message' h1.log)" -eq 1 ] || fail "the reason is logged more than once"

# A link is possible again after ten times `silence`.
sleep 11
attack view 200 'a member that is no host'
after=$(memory_kb)
echo "memory of the daemons: $before kB, then $after kB"
[ "$after" -le $((before + 65536)) ] || fail "memory grew: $before kB, then $after kB"

sleep 11
attack parcel 300 'a message has more than 67108864 bytes'

running "$(cat keeper.in)" || fail "a program was stopped: $(cat keeper.err)"
for i in 1 2; do
    timeout 30 "$ALLOT" run --socket "./h$i.sock" --lock "free$i" -- true || fail "h$i grants nothing"
done
