# The larger instances of the crash-tolerant semaphore: all properties, exact store, and every order of deliveries.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds 50341 401039 permits --sites 3 --permits 1 --crashes 2 --start-up off --full
holds 165840 1493679 permits --sites 3 --permits 2 --crashes 2 --start-up off --full
holds 151917 1441765 permits --sites 3 --permits 3 --crashes 2 --start-up off --full
holds 5663668 73917867 permits --sites 4 --permits 1 --crashes 1 --start-up off --trust anchor
holds 1425872 18808031 permits --sites 4 --permits 2 --crashes 2 --start-up off --trust anchor --requests 1,1,1,0
holds 578476 5012888 permits --sites 3 --permits 1 --requests 2 --crashes 1 --trust sparse --start-up off
holds 1555790 14798808 permits-open --sites 3 --permits 2 --founders 2 --crashes 1 --full
holds 3922634 36571511 permits --permits 2 --crashes 1 --requests 2 --start-up off --trust anchor
holds 4233381 44302860 permits-open --founders 2 --permits 2 --leaves 1 --crashes 1
