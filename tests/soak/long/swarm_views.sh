# Random runs of views among two to seven hosts: as many steps and changes of the view as section 10 of the specification has.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
changing 4350000 1400000 63000000 views-counters --seed 3
