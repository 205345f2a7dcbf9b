# Random runs of five and of seven whole hosts.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
clean 10000 - cluster --sites 5 --grants 50 --faults 3 --ticks 30 --seed 5
clean 5000 - cluster --sites 7 --grants 50 --faults 3 --ticks 30 --seed 5
