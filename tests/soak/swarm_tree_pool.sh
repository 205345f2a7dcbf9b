# Random runs of the pool on larger trees, with losses, withdrawals, timers that fire too early, and every option.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
clean 100000 22000000 tree-pool
finds no-surplus 20000 tree-pool --without count-arrivals
finds exact 20000 tree-pool --without zero-counts
finds unserved 20000 tree-pool --without adopt-number
finds no-surplus 20000 tree-pool --without create-at-end
finds priority-rests 20000 tree-pool --without settle-at-once
