# The hosts of tests/cluster/churn.sh make 32 joins and leaves within a minute.
rounds=8
. "$ALLOT_SOURCE_DIR/tests/cluster/churn.sh"
