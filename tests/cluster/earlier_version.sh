# The daemon takes over the state folder of the version without a register, as tests/recorded/earlier has it: its fences
# go on above those of that time, nothing is granted before programs of that time have stopped, and its files are kept.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
recorded=$ALLOT_SOURCE_DIR/tests/recorded/earlier
epoch=5 # in the recorded mark, the high part of its fences

take_over() {
    local i began fence
    for i in 1 2 3; do
        rm -rf h$i
        mkdir h$i
        cp "$recorded"/* h$i/
    done
    rm -f register # as it was before there was one
    began=$(now_ms)
    start_all
    run 2 --lock a --timeout 30s -- bash -c 'echo $ALLOT_FENCE >fence' || fail "not served after the earlier version"
    [ $(($(now_ms) - began)) -ge 3000 ] || fail "a lock was given out though programs of the earlier version may run"
    fence=$(cat fence)
    [ $((fence >> 40)) -gt $epoch ] || fail "fence $fence is not above epoch $epoch of the earlier version"
    for i in 1 2 3; do
        for name in running stopped; do
            cmp -s "$recorded/$name" h$i/$name.before-* || fail "h$i/$name is not kept"
            [ ! -e h$i/$name ] || fail "h$i/$name is still there"
        done
    done
    for i in 1 2 3; do kill_machine $i; done
    start_all
    run 1 --lock a --timeout 30s -- bash -c 'echo $ALLOT_FENCE >later' || fail "not served after a restart"
    [ "$(cat later)" -gt "$fence" ] || fail "the fence has not grown: $fence, $(cat later)"
    for i in 1 2 3; do stop $i; done
}

for engine in hosts file; do
    agree $'lease = "3s"'
    configure 3
    take_over
done

# One wrong bit is enough: it is refused in one line, and left alone.
rm -rf h1
mkdir h1
cp "$recorded"/* h1/
printf '\x06' | dd of=h1/running bs=1 seek=39 conv=notrunc status=none
cp h1/running damaged
"$ALLOT" node --config h1.toml 2>h1.err
[ $? -eq 2 ] && [ "$(wc -l <h1.err)" -eq 1 ] || fail "a damaged mark is believed: $(cat h1.err)"
contains 'h1/running: an earlier version of allot left it, and it cannot be read' h1.err || fail "it is not named: $(cat h1.err)"
cmp -s damaged h1/running || fail "the damaged mark was changed"
exit 0
