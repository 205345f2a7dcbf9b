# As bootstrap.sh, with a register that the hosts keep themselves.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/bootstrap.sh"
