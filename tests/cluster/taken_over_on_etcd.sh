# As taken_over.sh, with a register in etcd.
engine=etcd
. "$ALLOT_SOURCE_DIR/tests/cluster/taken_over.sh"
