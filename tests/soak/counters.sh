# The larger instances of locks by counters: all properties, exact store, and every order of deliveries.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds 3030435 6238039 counters --improve none --links fifo --loans 0 --requests 2,2,1
holds 2977298 6827801 counters --improve none --links fifo --loans 0 --sites 4
holds 5035269 12040431 counters --improve none --links fifo --requests 2,1,1 --cancel
holds 1428218 3007954 counters --improve none --resources 3
holds 4311815 17812102 counters --improve home --loans 0
holds 2334291 5484525 counters --improve stop --links fifo --loans 0 --requests 2,1,1 --cancel
