# As stopped_in_time.sh, with a register in etcd.
engine=etcd
. "$ALLOT_SOURCE_DIR/tests/cluster/stopped_in_time.sh"
