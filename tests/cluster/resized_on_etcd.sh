# As resized.sh, with a register in etcd.
engine=etcd
. "$ALLOT_SOURCE_DIR/tests/cluster/resized.sh"
