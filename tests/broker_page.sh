# The page on the broker says what its commands print.
set -eu
bash "$ALLOT_SOURCE_DIR/tests/readme.sh" "$ALLOT_SOURCE_DIR/docs/broker.md" 4
