# Three hosts with 200 sessions each: half of them hold two locks, the others wait for a lock of the next host. A fourth host
# goes and comes back: two new views. It prints the time for which each host is frozen, and the bytes of its report.
engine=hosts
networks=own
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

each=100
# sessions NAME HOST LOCKS...: 100 sessions there, each of which asks for these locks, with a number in place of N. NAME has a
# line for each that holds them.
sessions() {
    local name=$1 i=$2 n
    shift 2
    : >"$name"
    for n in $(seq $each); do
        "$HOLDER" "./h$i.sock" "${@//N/$n}" <holders.fifo >>"$name" 2>>holders.err &
        started+=($!)
    done
}
has_lines() { [ "$(wc -l <"$1")" -eq "$2" ]; }
all_wait() { [ "$("$ALLOT" status --socket ./h1.sock | grep -c '^own-.* waits ')" -eq $((3 * each)) ]; }
# show_costs MEMBERS: of the view with these members, when all three hosts have it.
show_costs() {
    local i view line
    for i in 1 2 3; do wait_until 30 "h$i has the view of $1" members_are $i "$1"; done
    for i in 1 2 3; do
        view=$(grep -o 'view [0-9]*: h' h$i.log | tail -n 1)
        wait_until 10 "h$i has finished the view" contains "${view%h}frozen for" h$i.log
        line=$(grep -o "${view%h}frozen for.*" h$i.log)
        echo "h$i with $((2 * each)) sessions: $line"
        [ "$(sed 's/.*report of \([0-9]*\) bytes/\1/' <<<"$line")" -gt $((2 * each * 10)) ] || fail "h$i has not reported all"
    done
}

agree
configure 4
rm -f holders.*
mkfifo holders.fifo
start_all
exec {input}<>holders.fifo
for i in 1 2 3; do
    sessions held$i $i "own-$i-N" "own-$i-N-too"
    wait_until 60 "$each sessions at h$i hold" has_lines held$i $each
done
for i in 1 2 3; do sessions next$i $i "own-$((i % 3 + 1))-N"; done
wait_until 60 "the others wait" all_wait
stop 4
show_costs h1,h2,h3
start 4
show_costs h1,h2,h3,h4
for i in 1 2 3; do has_lines next$i 0 || fail "a lock of a session was given out: $(cat next$i)"; done
[ ! -s holders.err ] || fail "a session was disturbed: $(cat holders.err)"
exit 0
