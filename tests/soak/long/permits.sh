# The largest instances of the crash-tolerant semaphore.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# `-`: not counted yet, since the check takes too long.
holds - - permits-open --sites 3 --permits 2 --founders 2 --crashes 1 --restarts 1 --requests 1,1,0
holds 21493664 258824090 permits --sites 3 --permits 2 --crashes 1 --trust sparse --full
holds 10290318 128929975 permits-open --permits 1 --crashes 1 --restarts 1 --start-up off
