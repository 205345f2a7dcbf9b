# The larger instances of devices with agreed views: section 3.4 of the specification on kinds.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
pairs='r0,r1;r1,r0;r0'
holds 353455 1557421 views-devices --wants "$pairs" --expulsions 1
holds 1818936 9379580 views-devices --wants "$pairs" --crashes 1 --expulsions 1
holds 454269 2138998 views-devices --wants "$pairs" --crashes 1 --restarts 1
holds 474771 2229921 views-devices --wants "$pairs" --crashes 1 --restarts 1 --orphans
holds 444246 2096978 views-devices --wants "$pairs" --crashes 1 --restarts 1 --bound r0:2
holds 435417 2060973 views-devices --wants "$pairs" --crashes 1 --restarts 1 --bound r0:2,r1:1
holds 171556 832571 views-devices --wants "$pairs" --founders 2 --crashes 1 --cancel
holds 321777 1040904 views-devices --wants 'r0,r1/r0/r1;r0,r1/r0/r1;r0' --crashes 1 --requests 2,2,1
holds 399607 1696740 views-devices --sites 4 --wants 'r0,r1;r1,r0;r0;r0' --crashes 1
holds 104738 349793 views-devices --sites 2 --wants 'r0,r1;r1,r0' --crashes 2 --restarts 2 --orphans
holds 123274 424515 views-devices --sites 2 --wants 'r0,r1;r1,r0' --crashes 1 --restarts 1 --expulsions 1 --orphans
holds 83014 272399 views-devices --sites 3 --seats 2 --seat-requests 1,0 --wants 'r0,r1/r1;r0;r1' --crashes 1
holds 38763 122935 views-devices --sites 2 --seats 2 --wants 'r0,r1/r1;r0' --expulsions 1
