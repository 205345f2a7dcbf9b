# The largest instances of locks by counters.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# `-`: not counted yet, since the check takes too long.
holds - - counters --links fifo --cancel
holds 11564691 26366391 counters --improve none --links fifo --requests 2,2,1
holds 18251946 46352521 counters --improve none --links fifo --sites 4
holds 16571860 52335766 counters --improve none --requests 2,1,1
