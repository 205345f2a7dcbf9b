# As expelled.sh, with a register in etcd.
engine=etcd
. "$ALLOT_SOURCE_DIR/tests/cluster/expelled.sh"
