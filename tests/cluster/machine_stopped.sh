# A whole machine stands still for longer than its lease: daemon, guardian, `allot run` and the command. Nothing there
# can stop the command in time, so another host gets the lock while the old user still believes in it. When the machine
# goes on, the resource refuses the write of the old user by its fence; then the command is stopped.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "3s"\ngrace = "500ms"\nsilence = "1s"'
configure 3
rm -f resource* old.* ./*.fence
start_all

# write_with FENCE TEXT: what a resource does that checks fences. It keeps the largest that it has seen.
write_with() {
    (
        flock 9
        local seen
        seen=$(cat resource.fence 2>/dev/null || echo 0)
        [ "$1" -ge "$seen" ] || exit 1
        echo "$1" >resource.fence
        echo "$2" >resource
    ) 9>resource.lock
}
export -f write_with

# It writes continually, notes the first refusal, and does not stop when it is asked to.
"$ALLOT" run --socket ./h2.sock --lock db -- bash -c '
    trap "" TERM
    echo $ALLOT_FENCE >old.fence
    echo $$ >old.in
    while :; do
        write_with $ALLOT_FENCE "by the old user" && touch old.writes || touch old.refused
        sleep 0.02
    done' 2>old.err &
wrapper=$!
started+=($wrapper)
wait_until 20 "the old user writes" test -e old.writes
wait_until 20 "the guardian knows the old user" is_guarded old 2
guardian=$(pgrep -f "allot guardian --folder $PWD/h2 ")
[ -n "$guardian" ] || fail "h2 has no guardian"
machine=("$(cat old.in)" $wrapper $guardian "${process[2]}")

kill -STOP "${machine[@]}"
stopped=$(now_ms)
[ ! -e old.refused ] || fail "a write of the only user was refused"
ask newer 1 --lock db
wait_until 30 "the lock is given out" granted newer
[ $(($(now_ms) - stopped)) -ge 2000 ] || fail "the lock was given out before the lease of the stopped machine had ended"
fence_of() { tr '\0' '\n' <"/proc/$(cat "$1.in")/environ" | sed -n 's/^ALLOT_FENCE=//p'; }
[ "$(fence_of newer)" -gt "$(cat old.fence)" ] || fail "the fence has not grown: $(cat old.fence), $(fence_of newer)"
grep -q '^State:.T' "/proc/$(cat old.in)/status" || fail "the old user does not stand still"
write_with "$(fence_of newer)" "by the new user" || fail "the resource refuses the new user"

# The command happens to be the first to go on.
kill -CONT "$(cat old.in)"
wait_until 20 "a write of the old user is refused" test -e old.refused
[ "$(cat resource)" = "by the new user" ] || fail "the old user has written: $(cat resource)"
kill -CONT "${machine[@]}"
wait_until 20 "the old user is stopped" not_running "$(cat old.in)"
wait $wrapper
[ $? -eq 122 ] || fail "the wrapper does not say that the lease was lost: $(cat old.err)"
[ "$(cat resource)" = "by the new user" ] || fail "the old user has written: $(cat resource)"
running "$(cat newer.in)" || fail "the new user was stopped: $(cat newer.err)"
run 2 --lock db --timeout 1s -- true 2>/dev/null
[ $? -eq 121 ] || fail "h2 gives out what is held at h1"
let_go newer
run 2 --lock db --timeout 30s -- true || fail "h2 is not served when it is back"
exit 0
