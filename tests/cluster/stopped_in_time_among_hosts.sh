# As stopped_in_time.sh, with a register that the hosts keep themselves.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/stopped_in_time.sh"
