# The largest instances of arbiters and of escrow: all properties, exact store.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# `-`: not counted yet, since the check takes too long.
memory=8G

# mirrored STATES TRANSITIONS GRAPH BOUNDS_OF_INCLUSION BOUNDS_OF_EXCLUSION: with in and out exchanged, one is the
# other, so both have the same number of states.
mirrored() {
    holds "$1" "$2" inclusion --graph "$3" --bounds "$4" --requests any
    local states_of_inclusion=$found_states
    holds "$1" "$2" exclusion --graph "$3" --bounds "$5" --requests any
    [ "$found_states" = "$states_of_inclusion" ] || complain "inclusion has $states_of_inclusion states"
}
holds 1852368 8125331 inclusion --graph path:3 --requests any --full
holds 1282232 6153058 inclusion --graph complete:3 --bounds '2,*' --requests any --full
clean 50000 10000000 inclusion
clean 50000 10000000 exclusion
clean 50000 13000000 composition
clean 50000 14000000 sidetrack
clean 50000 14000000 escrow
# escrow on a larger graph, as far as the memory goes.
bounded 9000000 escrow --graph complete:3 --bounds 1,2 --requests any
mirrored - - star:4 '3,*;1,*;1,*;1,*' 0,1
mirrored - - path:4 '1,*;2,*;2,*;1,*' 0,1
mirrored - - path:4 '1,*' '0,1;0,2;0,2;0,1'

# A path on which composition deadlocks.
holds 11378482 - escrow --graph path:3 --bounds '0,1;1,2;0,2' --initial Ioo --requests any
bounded - escrow --graph complete:4 --bounds 1,3 --requests any
bounded - escrow --graph complete:5 --bounds 2,3 --requests any
bounded 8000000 escrow --graph star:4 --bounds '1,3;0,1;0,1;1,2' --requests any
bounded 9000000 escrow --graph cycle:4 --bounds 0,2 --requests any

holds 11317109 68080841 sidetrack --graph complete:5 --bounds 1,4 --requests 0,0,0,0,1 --property within-bounds --property caps-kept \
    --property used-with-permission --property grants-known --property one-nominee --property assertion
