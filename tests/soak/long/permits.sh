# The largest instances of the crash-tolerant semaphore.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# `-`: not counted yet, since the check takes too long.
holds - - permits-open --sites 3 --permits 2 --founders 2 --crashes 1 --restarts 1 --requests 1,1,0
holds 21493664 258824090 permits --sites 3 --permits 2 --crashes 1 --trust sparse --full
holds 10290318 128929975 permits-open --permits 1 --crashes 1 --restarts 1 --start-up off
holds 6966875 78410632 permits --sites 3 --permits 1 --crashes 1 --trust sparse --full
holds 8349406 96512009 permits --permits 2 --crashes 1 --cancel
holds 9341299 90972084 permits --permits 2 --crashes 1 --duplicate 1 --lose 1 --start-up off --trust anchor
