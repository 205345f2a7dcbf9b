# The largest instance of devices with agreed views: two programs on each host, which withdraw, and a device that its host takes along.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds 3315970 13604419 views-devices --sites 2 --seats 2 --seat-requests 1 --wants 'r0,r1/r0;r0,r1/r1' --crashes 1 --restarts 1 \
    --bound r0:1 --cancel
