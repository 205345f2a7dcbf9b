# The files of tests/cluster/damaged.sh, each damaged in each way several times.
set -- 60 2
. "$ALLOT_SOURCE_DIR/tests/cluster/damaged.sh"
