# The crowd of tests/cluster/crowd.sh for a minute.
CROWD_SECONDS=60 . "$ALLOT_SOURCE_DIR/tests/cluster/crowd.sh"
