# Under one kernel nobody waits for the lease of a daemon that was killed, if its guardian says that its programs are gone,
# too. The lease and the time to come back are so long here that nothing else lets anybody in.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "120s"\nsilence = "100s"\nreturn_within = "100s"'
configure 3
start_all

# --- It had no programs: what was used there last is free.
run 2 --lock a,b --permit builds -- true || fail "h2 does not serve"
kill_host 2
run 1 --lock a,b --permit builds --timeout 20s -- true || fail "h1 waits for programs that h2 did not have"
start 2
run 2 --lock a,b --permit builds --timeout 20s -- true || fail "h2 does not serve when it is back"

# --- It had a program that goes on: nobody enters before that has ended.
hold job 2 --lock a
fence=$(tr '\0' '\n' <"/proc/$(cat job.in)/environ" | sed -n 's/^ALLOT_FENCE=//p')
kill_host 2
kill -KILL "${asker[job]}"
ask next 3 --lock a
wait_until 20 "next waits" waits_for a 1 3
run 1 --lock c --timeout 20s -- true || fail "a lock that nobody uses waits"
granted next && fail "two use a"
running "$(cat job.in)" || fail "the program of a killed daemon was stopped before its lease ended"
timeout 20 bash -c 'echo >job.fifo' || fail "the job does not use a any more"
wait_until 20 "the job ends" not_running "$(cat job.in)"
wait_until 20 "next is served" granted next
[ "$(tr '\0' '\n' <"/proc/$(cat next.in)/environ" | sed -n 's/^ALLOT_FENCE=//p')" -gt "$fence" ] || fail "the fence has not grown"
let_go next

# --- A program of the library: only a note tells of it, so the guardian does not certify. A bit of the certificate of an
# earlier daemon flips: neither the other hosts nor h2 itself believe it, and they say so in one line.
start 2
library holder 2 a
kill_host 2
[ -s register-ended.h2 ] || fail "there is no certificate of the daemon that was killed before"
flip_bit() { printf "$(printf '\\%o' $(($(tail -c "$2" "$1" | head -c 1 | od -An -tu1) ^ 128)))" |
    dd of="$1" bs=1 seek=$(($(stat -c %s "$1") - $2)) conv=notrunc status=none; }
flip_bit register-ended.h2 1
echo 917558528 >register.h2 # where certificates of an earlier version were
run 1 --lock a --timeout 3s -- touch wrong 2>/dev/null
[ $? -eq 121 ] || fail "a is given away while a program may use it"
[ "$(grep -c 'register-ended.h2: it is damaged: .*: it is not believed; this host waits' h1.log)" -eq 1 ] ||
    fail "h1 does not say once that the certificate is damaged"
start 2
contains 'register-ended.h2: it is damaged: .*: it is not believed, and is now register-ended.h2.refused-' h2.log ||
    fail "h2 does not say that its certificate is damaged"
[ ! -e register-ended.h2 ] || fail "a damaged certificate stays where others look"
tell holder
told_twice() { [ "$(grep -c '^a=' holder.out)" -eq 2 ]; }
wait_until 20 "the program still holds a" told_twice
tell holder .
wait "${asker[holder]}" || fail "the program has lost a: $(cat holder.out)"
run 1 --lock a --timeout 20s -- true || fail "a is not free"
for i in 1 2 3; do stop $i; done

# --- The program ends when its host has been removed already: nobody waits for the rest of the lease.
agree $'lease = "120s"\nsilence = "1s"\nreturn_within = "500ms"'
configure 3
start_all
hold late 2 --lock a
kill_host 2
kill -KILL "${asker[late]}"
wait_until 20 "h2 is removed" members_are 1 h1,h3
ask next 3 --lock a
wait_until 20 "next waits" waits_for a 1 3
timeout 20 bash -c 'echo >late.fifo' || fail "the job does not use a any more"
wait_until 20 "next is served when the program of a removed host has ended" granted next
let_go next
exit 0
