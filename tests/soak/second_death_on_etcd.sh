# As tests/cluster/second_death.sh, with a register in etcd.
engine=etcd
. "$ALLOT_SOURCE_DIR/tests/cluster/second_death.sh"
