# Three million names instead of ten.
MILLIONS=3 . "$ALLOT_SOURCE_DIR/tests/soak/long/names.sh"
