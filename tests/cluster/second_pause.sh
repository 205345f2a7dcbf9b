# As second_death.sh, but the second daemon only pauses and goes on.
fate=continued
. "$ALLOT_SOURCE_DIR/tests/cluster/second_death.sh"
