# The page on the simulator says what its sweeps print.
set -eu
bash "$ALLOT_SOURCE_DIR/tests/readme.sh" "$ALLOT_SOURCE_DIR/docs/simulator.md" 2
