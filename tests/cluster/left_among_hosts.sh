# As left.sh, with a register that the hosts keep themselves.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/left.sh"
