# The largest instances of the multilock baselines.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# `-`: not counted yet, since the check takes too long.
holds - - control-token --sites 4 --resources 3 --control pass
holds - - control-token --sites 4 --resources 3 --control hold
holds - - control-token --sites 4 --resources 3 --control lock
holds - - control-token --sites 4 --resources 3 --control section
