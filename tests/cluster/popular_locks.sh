# Fifty locks that programs of all hosts take again and again: what a host keeps of them depends on who holds and waits, so
# neither its memory nor its next report grows with the number of grants.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 3
start_all
take() { NAMERS_OF=50 timeout 90 "$NAMERS" popular- "$1" $(all_sockets) >namers.out || fail "not all are granted: $(cat namers.out)"; }
take 45000
before=$(memory_kb)
take 60000
after=$(memory_kb)
echo "three daemons: $before kB after 45,000 grants, $after kB after 105,000"
[ "$after" -lt $((before + 20000)) ] || fail "memory grows with grants: $before kB, then $after kB"

kill_host 3
start 3
wait_until 30 "a view follows" contains 'view [3-9][0-9]*: frozen' h1.log
report=$(grep -o 'report of [0-9]* bytes' h1.log | awk '{ print $3 }' | sort -n | tail -n 1)
echo "the longest report: $report bytes"
[ "$report" -lt 10000 ] || fail "a report of $report bytes though nobody holds or waits"
for i in 1 2 3; do run $i --lock popular-0,popular-49 --timeout 30s -- true || fail "h$i is not served"; done
exit 0
