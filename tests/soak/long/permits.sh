# The largest instance of the crash-tolerant semaphore.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# `-`: not counted yet, since the check takes too long.
holds - - permits-open --sites 3 --permits 2 --founders 2 --crashes 1 --restarts 1 --requests 1,1,0
