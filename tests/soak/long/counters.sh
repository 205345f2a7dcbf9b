# The largest instance of locks by counters.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# `-`: not counted yet, since the check takes too long.
holds - - counters --links fifo --cancel
