# The hosts are upgraded from the version before, which is built from its commit.
commit=$(cat "$ALLOT_SOURCE_DIR/tests/recorded/version-before")
git -C "$ALLOT_SOURCE_DIR" cat-file -e "$commit^{commit}" 2>/dev/null || {
    echo "the history of this checkout does not have the version before, $commit; fetch all of it (git fetch --unshallow)"
    exit 1
}
[ -d before ] || git -C "$ALLOT_SOURCE_DIR" archive --prefix=before/ "$commit" | tar -x
cmake -S before -B before/build -G Ninja -DCMAKE_BUILD_TYPE=Release >before.log &&
    cmake --build before/build --target allot >>before.log || {
    tail -n 5 before.log
    exit 1
}
export ALLOT_BEFORE=$PWD/before/build/allot
for engine in hosts etcd; do
    mkdir -p "$engine"
    (cd "$engine" && engine=$engine bash "$ALLOT_SOURCE_DIR/tests/cluster/upgrade.sh") || exit 1
done
