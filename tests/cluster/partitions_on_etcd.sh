# Three hosts with a register in etcd, and links that break. A host that is cut off from etcd and from the others has
# stopped its commands before another host gets their locks. A host that only etcd hears is removed, stays away, and works
# again when its links are healed.
engine=etcd
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

for pair in 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done
etcd_through_proxy 3 1
agree $'lease = "3s"\ngrace = "500ms"\nsilence = "1s"'
configure 3
start_all

# worker NAME HOST LOCK: it notes every moment in which it runs, and does not stop when it is asked to.
worker() {
    rm -f "$1".*
    "$ALLOT" run --socket "./h$2.sock" --lock "$3" -- bash -c "
        trap '' TERM
        echo \$ALLOT_FENCE >$1.fence
        echo \$\$ >$1.in
        while :; do date +%s%N >$1.new; mv $1.new $1.last; sleep 0.01; done" 2>"$1.err" &
    asker[$1]=$!
    started+=($!)
    wait_until 20 "$1 works" test -s "$1.last"
}
serves() { run "$1" --lock a,b --permit builds=2 --timeout 30s -- true 2>why.txt || fail "h$1 is not served $2: $(cat why.txt)"; }

for i in 1 2 3; do serves $i "in the beginning"; done

# A short cut costs nothing.
worker steady 3 kept
fault blackhole
sleep 0.3
fault heal
serves 3 "after a short cut"
running "$(cat steady.in)" || fail "a command was stopped by a short cut: $(cat steady.err)"

# Cut off from everybody.
fault blackhole
run 1 --lock kept --timeout 30s -- bash -c '
    date +%s%N >next
    grep -qs "^State:.[RSDT]" /proc/'"$(cat steady.in)"'/status && touch wrong
    echo $ALLOT_FENCE >later' 2>why.txt || fail "h1 does not get what h3 held: $(cat why.txt)"
[ ! -e wrong ] || fail "the command still ran when its lock was given out"
[ "$(cat steady.last)" -lt "$(cat next)" ] || fail "the command worked when its lock was given out"
[ "$(cat later)" -gt "$(cat steady.fence)" ] || fail "the fence has not grown: $(cat steady.fence), $(cat later)"
says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }
wait_until 20 "h3 says that etcd does not answer" says 3 'etcd does not serve this host: http://127.0.0.1:[0-9]*: no answer within'
run 3 --lock b --timeout 500ms -- true 2>/dev/null
[ $? -eq 121 ] || fail "a host that is cut off grants"
fault heal
serves 3 "when it is back"

# Cut off from the other hosts only: they go on without it, and it does not disturb them by joining again.
cut_off 1,3 2,3
removed() { "$ALLOT" status --socket ./h1.sock 2>/dev/null | grep -q '^h3 *removed'; }
wait_until 20 "h3 is removed" removed
serves 1 "without h3"
serves 2 "without h3"
wait_until 20 "h3 says why it stays away" says 3 'the others have removed this host, and it has a link to none of them'
views_before=$(grep -c ' view ' h1.log)
sleep 2
[ "$(grep -c ' view ' h1.log)" -eq "$views_before" ] || fail "h3 comes and goes: $(tail -n 5 h1.log)"
fault heal 1,3 2,3
serves 3 "when its links are healed"
for i in 1 2; do serves $i "with h3"; done
exit 0
