# `allot cluster expel` of a host that runs: its programs have ended before another host gets what they held, with a larger
# fence. The daemon learns that it was expelled, says so, and ends.
engine=${engine:-hosts}
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

expect() { [[ $1 == *"$2"* ]] || fail "expected \"$2\", found: $1"; }

agree $'lease = "6s"\ngrace = "500ms"\nsilence = "2s"'
configure 3
rm -f wrong later
start_all
for i in 1 2 3; do run $i --lock first --timeout 20s -- true || fail "h$i does not serve"; done
hold job 3 --lock db
fence=$(tr '\0' '\n' <"/proc/$(cat job.in)/environ" | sed -n 's/^ALLOT_FENCE=//p')
library program 3 disk
hold steady 1 --lock elsewhere
# Whoever is next for db notes its fence, and whether the job of h3 still runs.
"$ALLOT" run --socket ./h1.sock --lock db --timeout 40s -- bash -c "
    grep -qs '^State:.[RSDT]' /proc/$(cat job.in)/status && touch wrong
    echo \$ALLOT_FENCE >later" 2>next.err &
next=$!
started+=($next)
wait_until 20 "somebody waits for db" waits_for db 1 1

expect "$("$ALLOT" cluster expel h3 --dry-run --socket ./h1.sock 2>&1)" 'would change host h3: in at'
running "$(cat job.in)" && running "${process[3]}" || fail "what would only be done was done"
expect "$("$ALLOT" cluster expel h3 --socket ./h1.sock 2>&1)" '-> out at'
for i in 1 2; do wait_until 20 "h3 is no member for h$i" members_are $i h1,h2; done

wait "${asker[job]}"
code=$?
[ $code -eq 122 ] || fail "the job of h3 was not told that its lease was lost: $code, $(cat job.err)"
contains 'lost: the other hosts have removed this one' job.err || fail "the job of h3 is told another reason: $(cat job.err)"
wait $next || fail "nobody else gets db: $(cat next.err)"
[ ! -e wrong ] || fail "the job of h3 still ran when db was given to another host"
[ "$(cat later)" -gt "$fence" ] || fail "the fence has not grown: $fence, $(cat later)"
run 2 --lock disk --timeout 20s -- true || fail "h2 does not get what a program of h3 had"

wait_until 20 "the daemon of h3 ends" not_running "${process[3]}"
wait "${process[3]}" || fail "h3 did not end in order: $(tail -n 3 h3.log)"
contains 'this host is not in the cluster any more' h3.log || fail "h3 does not say why it ends: $(tail -n 5 h3.log)"
tell program
wait_until 20 "the library says why" contains 'lost: .*the other hosts have removed this one' program.out
expect "$("$ALLOT" node --config h3.toml 2>&1)" 'h3: this host is not in the cluster any more; `allot cluster join ADDRESS'
running "$(cat steady.in)" || fail "a program of another host was stopped: $(cat steady.err)"
let_go steady
