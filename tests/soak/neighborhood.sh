# The larger instances of arbiters and of escrow: all properties, exact store; and many random runs.
set -euo pipefail
check() {
    echo "allot check $*"
    "$ALLOT" check "$@" --memory 8G >out.txt || { cat out.txt; exit 1; }
    tail -n 1 out.txt
}
states() { grep -o '[0-9,]* states' out.txt; }

# With in and out exchanged, one is the other.
mirrored() {
    check inclusion --graph "$1" --bounds "$2" --requests any
    local inclusion
    inclusion=$(states)
    check exclusion --graph "$1" --bounds "$3" --requests any
    [ "$(states)" = "$inclusion" ]
}

mirrored star:4 '3,*;1,*;1,*;1,*' 0,1
mirrored path:4 '1,*;2,*;2,*;1,*' 0,1
mirrored path:4 '1,*' '0,1;0,2;0,2;0,1'
check inclusion --graph path:3 --requests any --full
check inclusion --graph complete:3 --bounds '2,*' --requests any --full
check sidetrack --graph complete:5 --bounds 1,4 --requests 0,0,0,0,1 --property within-bounds --property caps-kept \
    --property used-with-permission --property grants-known --property one-nominee --property assertion

for protocol in inclusion exclusion composition sidetrack escrow; do
    echo "allot swarm $protocol"
    "$ALLOT" swarm $protocol --runs 50000 | tail -n 1
done

# escrow: a path on which composition deadlocks, in all runs; larger graphs as far as the memory goes.
check escrow --graph path:3 --bounds '0,1;1,2;0,2' --initial Ioo --requests any
[ "$(states)" = '11,378,482 states' ]
for instance in 'complete:3 1,2' 'star:4 1,3;0,1;0,1;1,2' 'complete:4 1,3' 'complete:5 2,3' 'cycle:4 0,2'; do
    read -r graph bounds <<<"$instance"
    echo "allot check escrow --graph $graph --bounds $bounds, as far as the memory goes"
    code=0
    "$ALLOT" check escrow --graph "$graph" --bounds "$bounds" --requests any --memory 512M >out.txt || code=$?
    tail -n 1 out.txt
    [ $code -eq 0 ] || { [ $code -eq 3 ] && grep -q '^Bounded: the memory' out.txt; } || { cat out.txt; exit 1; }
done
