# Three hosts that keep the register themselves, and links that break. A host that is cut off from both others grants
# nothing, says why, and has stopped its commands before another host gets their locks. Two hosts that do not hear each
# other while both hear the third never use a lock at the same time, and do not keep the third from work. A short cut
# costs nothing.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "3s"\ngrace = "500ms"\nsilence = "1s"'
for pair in 1,2 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done
configure 3
rm -f ./*.last ./*.next ./*.fence
start_all

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }
serves() { run "$1" --lock "${2:-a,b}" --permit builds=2 --timeout 30s -- true 2>why.txt || fail "h$1 is not served $3: $(cat why.txt)"; }

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
# succeed NAME HOST LOCK: the next one gets the lock of NAME there, has a larger fence and finds nobody.
succeed() {
    run "$2" --lock "$3" --timeout 30s -- bash -c "
        date +%s%N >$1.next
        running=\$(awk '/^State:/ && \$2 != \"Z\"' /proc/$(cat "$1.in")/status 2>/dev/null)
        [ -z \"\$running\" ] || touch wrong
        echo \$ALLOT_FENCE >$1.later" 2>why.txt || fail "h$2 does not get what $1 held: $(cat why.txt)"
    [ ! -e wrong ] || fail "$1 still ran when its lock was given out"
    [ "$(cat "$1.last")" -lt "$(cat "$1.next")" ] || fail "$1 worked when its lock was given out"
    [ "$(cat "$1.later")" -gt "$(cat "$1.fence")" ] || fail "the fence has not grown: $(cat "$1.fence"), $(cat "$1.later")"
}
cut_off() {
    fault refuse "$@"
    fault cut "$@"
}

for i in 1 2 3; do serves $i a,b "in the beginning"; done

# --- A cut that is shorter than the silence after which hosts are removed: nobody notices.
worker steady 3 kept
views_before=$(grep -c ' view ' h1.log)
for i in 1 2 3; do
    fault blackhole 1,3 2,3
    sleep 0.3
    fault heal
    serves 3 a,b "after a short cut"
done
running "$(cat steady.in)" || fail "a command was stopped by a short cut: $(cat steady.err)"
[ "$(grep -c ' view ' h1.log)" -eq "$views_before" ] || fail "a host was removed because of a short cut: $(tail -n 3 h1.log)"
run 1 --lock kept --no-wait -- true 2>/dev/null
[ $? -eq 120 ] || fail "what is held at h3 was given out"

# --- Cut off from both: once held back, once broken. The others go on with what is not at h3.
for kind in blackhole cut; do
    hold elsewhere 2 --lock elsewhere
    if [ $kind = blackhole ]; then fault blackhole 1,3 2,3; else cut_off 1,3 2,3; fi
    succeed steady 1 kept
    wait "${asker[steady]}"
    [ $? -eq 122 ] || fail "who held a lock at h3 was not told that it is lost: $(cat steady.err)"
    running "$(cat elsewhere.in)" || fail "a command of another host was stopped: $(cat elsewhere.err)"
    let_go elsewhere
    for i in 1 2; do serves $i a,b "while h3 is cut off"; done
    run 3 --lock free --timeout 1s -- true 2>why.txt
    [ $? -eq 121 ] || fail "a host that is cut off grants"
    contains 'a majority of the voters (h1 and h2 and h3) must answer' why.txt || fail "allot run does not say why: $(cat why.txt)"
    says 3 'a majority of the voters (h1 and h2 and h3) must answer' || fail "status does not say why: $("$ALLOT" status --socket ./h3.sock)"
    fault heal
    serves 3 a,b,kept,elsewhere,free "when it is back"
    worker steady 3 kept
done
kill -KILL "${asker[steady]}" "$(cat steady.in)"

# --- h1 and h2 do not hear each other, both hear h3. One of the two may be removed, and then its command has stopped.
# Programs that compete meanwhile have a witness.
export CROWD_LOSES=1
worker one 1 one
worker two 2 two
crowd 8 30 8
crowd_is_there 30
for name in one two; do
    run 3 --lock $name --timeout 40s -- bash -c "
        date +%s%N >$name.next
        running=\$(awk '/^State:/ && \$2 != \"Z\"' /proc/$(cat $name.in)/status 2>/dev/null)
        [ -z \"\$running\" ] || touch wrong
        echo \$ALLOT_FENCE >$name.later" 2>$name.why &
    asker[after_$name]=$!
    started+=($!)
    wait_until 10 "somebody waits for what $name holds" waits_for $name 1 3
done
fault blackhole 1,2
wait_until 10 "h1 does not hear h2" contains 'link to host h2 is down: nothing was heard' h1.log
sleep 5 # longer than silence and lease
fault heal
crowd_ends
for name in one two; do
    running "$(cat $name.in)" && kill -KILL "${asker[$name]}" "$(cat $name.in)"
    wait "${asker[after_$name]}" || fail "nobody gets what $name held: $(cat $name.why)"
    [ ! -e wrong ] || fail "$name still ran when its lock was given out"
    [ "$(cat $name.last)" -lt "$(cat $name.next)" ] || fail "$name worked when its lock was given out"
    [ "$(cat $name.later)" -gt "$(cat $name.fence)" ] || fail "the fence has not grown: $(cat $name.fence), $(cat $name.later)"
done

# --- The same for long: h3 removes one of the two, and the others serve as if nothing was wrong. The one that was removed
# comes back when it hears everybody.
fault blackhole 1,2
h3_goes_on() { grep 'view [0-9]*: h' h3.log | tail -n 1 | grep -q 'h[12], h3$'; }
wait_until 30 "one of the two is removed" h3_goes_on
for i in 1 3; do serves $i a,b "though h1 and h2 do not hear each other"; done
views_before=$(grep -c 'view [0-9]*: h' h3.log)
sleep 3 # three times the silence
for i in 1 3; do serves $i free,kept "though h1 and h2 do not hear each other"; done
[ "$(grep -c 'view [0-9]*: h' h3.log)" -eq "$views_before" ] || fail "views go on to change: $(grep 'view' h3.log | tail -n 4)"
fault heal

for i in 1 2 3; do serves $i a,b,one,two,kept "in the end"; done
one_token_each lock{0..11}
exit 0
