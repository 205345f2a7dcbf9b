# As taken_over.sh, with a register that the hosts keep themselves.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/taken_over.sh"
