# Larger instances of arbiters, of sidetrack and of escrow: all properties, exact store; and many random runs.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"

holds 1852368 8125331 inclusion --graph path:3 --requests any --full
holds 1282232 6153058 inclusion --graph complete:3 --bounds '2,*' --requests any --full

clean 50000 10000000 inclusion
clean 50000 10000000 exclusion
clean 50000 13000000 composition
clean 50000 14000000 sidetrack
clean 50000 14000000 escrow

# escrow on a larger graph, as far as the memory goes.
bounded 9000000 escrow --graph complete:3 --bounds 1,2 --requests any
