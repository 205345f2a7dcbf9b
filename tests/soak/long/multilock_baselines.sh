# The largest instances of the multilock baselines.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# `-`: not counted yet, since the check takes too long.
holds 496928 1731232 naimi-trehel --sites 5 --requests any
holds 2608272 7080514 incremental --sites 4 --resources 3
holds 2091336 6426856 incremental --sites 5 --resources 2
holds 1772252 4701733 incremental --sites 4 --resources 2 --requests 2,2,1,1
holds 1053696 2547904 control-token --sites 3 --resources 3 --requests 2,1,1 --control pass
holds 1529592 3873814 control-token --sites 3 --resources 3 --requests 2,1,1 --control hold
holds 677296 1541472 control-token --sites 3 --resources 3 --requests 2,1,1 --control lock
holds 499948 1052902 control-token --sites 3 --resources 3 --requests 2,1,1 --control section
clean 50000 3200000 naimi-trehel
clean 50000 3200000 incremental
clean 50000 3300000 control-token
clean 50000 3200000 ideal
holds - - control-token --sites 4 --resources 3 --control pass
holds - - control-token --sites 4 --resources 3 --control hold
holds - - control-token --sites 4 --resources 3 --control lock
holds - - control-token --sites 4 --resources 3 --control section
