# A hundred thousand random runs of Raymond's algorithm, with every fault it is meant to survive.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
clean 100000 7500000 raymond
clean 20000 2100000 raymond --seed 2 --requests any --links fifo
