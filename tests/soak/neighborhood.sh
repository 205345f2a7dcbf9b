# Larger instances of arbiters, of sidetrack and of escrow: all properties, exact store; and many random runs.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"

holds 1852368 8125331 inclusion --graph path:3 --requests any --full
holds 1282232 6153058 inclusion --graph complete:3 --bounds '2,*' --requests any --full
holds 11317109 68080841 sidetrack --graph complete:5 --bounds 1,4 --requests 0,0,0,0,1 --property within-bounds --property caps-kept \
    --property used-with-permission --property grants-known --property one-nominee --property assertion

clean 50000 10000000 inclusion
clean 50000 10000000 exclusion
clean 50000 13000000 composition
clean 50000 14000000 sidetrack
clean 50000 14000000 escrow

# escrow on larger graphs, as far as the memory goes.
bounded 9000000 escrow --graph complete:3 --bounds 1,2 --requests any
bounded 8000000 escrow --graph star:4 --bounds '1,3;0,1;0,1;1,2' --requests any
bounded 9000000 escrow --graph cycle:4 --bounds 0,2 --requests any
