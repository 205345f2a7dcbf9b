# Five hosts and 200 programs that compete for locks and permits: nobody meets who must not (the crowd has a
# witness), everybody is served, the daemons do not grow, and in the end every lock has one token.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
seconds=${CROWD_SECONDS:-4}

configure 5
start_all
crowd 2 200 1
crowd_ends
before=$(memory_kb)
crowd "$seconds" 200 2
crowd_ends
after=$(memory_kb)

# What an allocator keeps differs from run to run; what a leak takes grows with the sections.
echo "memory of all daemons: $before kB, then $after kB"
[ "$after" -le $((before * 5 / 4 + 4096)) ] || fail "the daemons have grown from $before to $after kB"
one_token_each lock{0..11}
