# Fifteen hosts, five of which keep the register, and 150 programs: a host dies and comes back, another one leaves, and the
# programs of the others notice a pause at most.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "9s"\nsilence = "3s"'
configure 15
start_all
crowd 60 150 15 $(printf './h%s.sock ' $(seq 13))
crowd_is_there 150
kill_machine 15
gone() { ! has_member 1 h15; }
wait_until 30 "h15 is removed" gone
start 15
wait_until 30 "h15 is back" has_member 1 h15
"$ALLOT" cluster leave --socket ./h14.sock >/dev/null || fail "h14 does not leave"
wait_until 30 "h14 ends" not_running "${process[14]}"
crowd_ends
echo "memory of 14 daemons: $(unset "process[14]"; memory_kb) kB"
hosts=13
one_token_each lock{0..3}
exit 0
