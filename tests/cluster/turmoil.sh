# Daemons are killed, machines die, links are cut, and hosts join and leave, in random order and under load: the witness sees
# no overlap, every request is granted or refused within a minute, and in the end all hosts serve. A fourth of the programs
# hold a lock for longer than a lease, so that whoever gets it before the lease of a dead host has ended is seen.
# $faults: how many; $seconds: how long the load lasts at least.
faults=${faults:-8}
seconds=${seconds:-0}
engine=${engine:-hosts}
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
. "$ALLOT_SOURCE_DIR/tests/support/faults.sh"

RANDOM=${seed:-11}
for pair in 1,2 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done
agree $'lease = "3s"\nsilence = "1s"'
configure 3
start_all
CROWD_LOSES=1 CROWD_LONG=4 crowd $((seconds + 400)) 24 7
crowd_is_there 24
began=$(now_ms)

# Beside all else a host joins and leaves.
come_and_go_begins() {
    newcomer 4
    wait_until 40 "h4 joins" bash -c "timeout 30 '$ALLOT' cluster join $loopback:$((7401 + RANDOM % 3)) --config h4.toml >join.txt 2>&1"
    start 4
    wait_until 40 "h4 serves" run 4 --lock of-4 --timeout 1s -- true 2>/dev/null
}
come_and_go_ends() {
    "$ALLOT" cluster leave --socket ./h4.sock >leave.txt 2>&1 || fail "h4 does not leave: $(cat leave.txt)"
    wait_until 40 "the daemon of h4 ends" not_running "${process[4]}"
}

# One of the first three hosts is missed at a time: two of them can always agree.
kinds=(killed_daemon dead_machine cut_links come_and_go)
for number in $(seq "$faults"); do
    strike
    sleep "${pause:-0}"
done
show_strikes
while [ $(($(now_ms) - began)) -lt $((seconds * 1000)) ]; do sleep 0.2; done
crowd_stops
for i in 1 2 3; do wait_until 20 "h$i knows the members" members_are $i h1,h2,h3; done
one_token_each lock{0..11}
exit 0
