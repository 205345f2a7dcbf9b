# The faults of tests/cluster/turmoil.sh for ten minutes, with a register that the hosts keep and with one in etcd, each with a
# cluster of its own.
clusters=()
for engine in hosts etcd; do
    mkdir -p "$engine"
    (cd "$engine" && engine=$engine faults=20 seconds=600 pause=20 bash "$ALLOT_SOURCE_DIR/tests/cluster/turmoil.sh") >"$engine.txt" 2>&1 &
    clusters+=($!)
done
failed=0
for one in "${clusters[@]}"; do wait "$one" || failed=1; done
for engine in hosts etcd; do
    echo "--- $engine"
    cat "$engine.txt"
done
exit $failed
