# The disk of one of three voters is full. A host says nothing to the register before its memory is on the disk, so its
# own programs stop when its lease ends, and it says why. It stays a member and passes on what others ask for; the other
# two voters suffice for them. If one of these is lost as well, nothing is granted. When there is room again, the host
# votes and serves without a restart.
# Skipped where this user may not mount.
if [ "${1:-}" != inside ]; then
    unshare -m true 2>why.txt || { echo "skipped: no mount namespace here: $(head -n 1 why.txt)"; exit 77; }
    exec unshare -m bash "$0" inside
fi
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }

fill() { head -c 1M /dev/zero >h3/filler 2>/dev/null; }
agree $'lease = "3s"\ngrace = "500ms"'
configure 4
with_page 3
mount -t tmpfs -o size=256k tmpfs h3 || fail "no small disk"
"$ALLOT" cluster init --config h3.toml >/dev/null || fail "h3 is not prepared on its small disk"
start_all
hold doomed 4 --lock a
hold steady 3 --lock held
page /health | grep -q '^ok' || fail "not healthy at the beginning: $(page /health)"

# h4, which does not vote, is lost: its removal is a vote that h3 cannot write.
fill
kill_machine 4 doomed
ask waiter 1 --lock a
wait_until 30 "h1 gets the lock of h4" granted waiter
contains 'cannot write what must survive a crash: .*No space left' h3.log || fail "h3 does not say that its disk is full"
wait_until 20 "the command of h3 is stopped" not_running "$(cat steady.in)"
wait "${asker[steady]}"
[ $? -eq 122 ] || fail "the wrapper does not say that the lease was lost: $(cat steady.err)"
wait_until 20 "status says why" says 3 'cannot write what must survive a crash: .*No space left'
page /health | grep -q '^HTTP.* 503' || fail "h3 is healthy with a full disk: $(page /health)"
page /health | grep -q 'No space left' || fail "/health does not say why: $(page /health)"
run 3 --lock b --timeout 1s -- true 2>/dev/null
[ $? -eq 121 ] || fail "h3 grants without a lease"
let_go waiter
for i in 1 2; do run $i --lock a,b,held --permit builds=2 --timeout 20s -- true || fail "h$i is not served beside a full disk"; done
[ "$(grep -c 'cannot write what must survive' h3.log)" -le 2 ] || fail "h3 repeats itself: $(cat h3.log)"

# h2 is lost, too: one vote is no majority.
hold lonely 1 --lock held
kill_machine 2
wait_until 20 "the command of h1 is stopped" not_running "$(cat lonely.in)"
for i in 1 3; do
    run $i --lock b --timeout 1s -- true 2>/dev/null
    [ $? -eq 121 ] || fail "h$i grants without a majority"
done
rm h3/filler
for i in 1 3; do run $i --lock a,b,held --permit builds=2 --timeout 30s -- true || fail "h$i is not served with room"; done
page /health | grep -q '^ok' || fail "not healthy with room: $(page /health)"

# Its votes are on the disk.
kill_machine 3
start 3
run 3 --lock a,held --permit builds --timeout 30s -- true || fail "h3 is not served after a restart"

# A daemon that starts with a full disk is refused in one line, and starts when there is room.
kill_machine 3
fill
timeout 20 "$ALLOT" node --config h3.toml 2>h3.err
[ $? -eq 2 ] && contains 'No space left' h3.err || fail "it starts though it cannot note its number: $(cat h3.err)"
rm h3/filler
start 3
run 3 --lock a --timeout 30s -- true || fail "h3 is not served with room"
exit 0
