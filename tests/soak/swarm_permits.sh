# A hundred thousand random runs of the crash-tolerant semaphore, with every fault it is meant to survive; and
# repairs that are switched off are found. (The two that only matter to newcomers' fences are left to the checker.)
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
clean 100000 4100000 permits
clean 50000 1700000 permits-open --seed 2 --anchor none --restarts 3 --crashes 3 --leaves 2 --sites 4 --founders 2
finds deadlock 100000 permits --without apply-crash
finds fences-grow 100000 permits --without advance-clock
finds mutual 100000 permits-open --without join-barrier
finds deadlock 100000 permits --without relay --sites 4 --permits 1 --max-request 1 --crashes 2 --trust sparse --start-up off
