# The page on the pool says what its commands print.
set -eu
bash "$ALLOT_SOURCE_DIR/tests/readme.sh" "$ALLOT_SOURCE_DIR/docs/pool.md" 7
