# A host that is stopped in order and holds nothing leaves: nobody waits for it. The last one leaves nothing behind
# that the next start would have to wait for. And files that were lost, copied or put back are not obeyed.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree
configure 3
with_page 1
start_all
for name in a b c d e f; do run 3 --lock "$name" --timeout 20s -- true || fail "h3 does not get $name"; done
leave() {
    kill -TERM "${process[$1]}"
    wait_until 20 "h$1 stops" not_running "${process[$1]}"
    wait "${process[$1]}" || fail "h$1 did not stop in order"
}
wait_until 20 "h1 is healthy" healthy
leave 3
healthy || fail "h1 is not healthy when a host has left: $(page /health)"
for name in a b c d e f g h i; do run 1 --lock "$name" --timeout 3s -- true || fail "$name is blocked by a host that has left"; done
run 2 --permit builds=2 --timeout 3s -- true || fail "permits are blocked by a host that has left"
"$ALLOT" status --socket ./h1.sock | grep -q '^h3  *removed' || fail "status does not say that h3 has left"
healthy || fail "h1 is not healthy without a host that has left: $(page /health)"

if [ "$engine" != file ]; then
    start 3
    run 3 --lock a,b --permit builds=2 --timeout 20s -- true || fail "h3 is not served when it is back"
    exit 0
fi

# A second daemon of a host that runs.
rm -rf copied
cp -r h1 copied
sed 's/^socket = .*/socket = "copied.sock"/; s/^state = .*/state = "copied"/' h1.toml >copied.toml
"$ALLOT" node --config copied.toml 2>copied.log && fail "a copy of a running host was started"
grep -q 'h1 runs already' copied.log || fail "no reason: $(cat copied.log)"
run 1 --lock a --timeout 3s -- true || fail "a copy that was refused has disturbed h1"

leave 2
leave 1
start 1
run 1 --lock a --timeout 3s -- true || fail "h1 waits for programs of hosts that have left in order"

# The register is lost.
leave 1
mv register register.lost
"$ALLOT" node --config h1.toml 2>wiped.log && fail "a host works with a register that has forgotten it"
grep -q 'this host has worked in view' wiped.log || fail "no reason: $(cat wiped.log)"
mv register.lost register

# A bit of it flips.
cp register register.good
printf 'X' | dd of=register bs=1 seek=$(($(stat -c %s register) - 3)) conv=notrunc 2>/dev/null
"$ALLOT" node --config h1.toml 2>flipped.log && fail "a damaged register is believed"
grep -q '^allot: register' flipped.log || fail "no reason: $(cat flipped.log)"
mv register.good register
start 1
run 1 --lock a --timeout 20s -- true || fail "h1 does not work when the register is back"
exit 0
