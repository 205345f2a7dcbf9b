# Random walks of locks by counters: whatever may be drawn, then ten million steps with everything on; and each
# repair that is switched off is found.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
clean 100000 7600000 counters
clean 60000 9000000 counters --seed 2 --sites 5 --resources 4 --loans 2 --improve all --requests any --cancel
finds assertion 100000 counters --without clear-lender
finds deadlock 100000 counters --without store-at-end
