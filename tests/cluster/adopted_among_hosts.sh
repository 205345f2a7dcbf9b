# As adopted.sh, with a register that the hosts keep themselves.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/adopted.sh"
