# The faults of tests/cluster/links.sh for a minute.
CROWD_SECONDS=60 . "$ALLOT_SOURCE_DIR/tests/cluster/links.sh"
