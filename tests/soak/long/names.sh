# Ten million locks, each of them taken once, on one host and on three: the memory of the daemons after the first million
# is enough for the rest.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
millions=${MILLIONS:-10}

for n in 1 3; do
    configure $n
    start_all
    began=$(now_ms)
    "$NAMERS" warm-up- 1000000 $(all_sockets) >namers.out || fail "not all names are granted"
    before=$(memory_kb)
    for ((i = 2; i <= millions; i++)); do
        "$NAMERS" million-$i- 1000000 $(all_sockets) >namers.out || fail "not all names are granted"
    done
    after=$(memory_kb)
    echo "$n hosts: $before kB after one million names, $after kB after $millions, $((($(now_ms) - began) / 1000)) s"
    [ "$after" -le $((before * 5 / 4 + 4096)) ] || fail "the daemons have grown from $before to $after kB"
    for ((i = 1; i <= n; i++)); do stop $i; done
    process=()
done
