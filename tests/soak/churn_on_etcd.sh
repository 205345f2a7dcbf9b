# The hosts of tests/cluster/churn.sh join and leave 32 times within a minute, with a register in etcd.
engine=etcd rounds=8 seconds=60
. "$ALLOT_SOURCE_DIR/tests/cluster/churn.sh"
