# What is too much is refused, with one line, and others are unharmed: too many sessions, connections that say no
# hello, visitors of the status page, and no descriptors left.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 1
sed -i "s/^http = .*/http = \"$loopback:7490\"/" h1.toml
printf '[limits]\nsessions = 4\nsessions_per_user = 100\n' >>h1.toml
start_all

descriptors() { ls "/proc/${process[1]}/fd" | wc -l; }
few_descriptors() { [ "$(descriptors)" -le "$1" ]; }
page_answers() {
    exec {page}<>"/dev/tcp/$loopback/7490" || return 1
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' /health >&"$page"
    timeout 10 cat <&"$page" 2>/dev/null | grep -q '^ok'
    local code=$?
    exec {page}<&-
    return $code
}
# idle WHERE COUNT: so many connections that say nothing, until `idle_no_more`.
idle() {
    rm -f idle.fifo idle.txt
    mkfifo idle.fifo
    "$IDLERS" "$1" "$2" <idle.fifo >idle.txt &
    idler=$!
    started+=($!)
    exec {idle}>idle.fifo
}
idle_no_more() {
    exec {idle}>&-
    wait $idler
}

# --- Sessions.
for name in a b c d; do hold $name 1 --lock $name; done
for command in "run --socket ./h1.sock --lock e -- touch wrong" "status --socket ./h1.sock"; do
    "$ALLOT" $command >out.txt 2>err.txt
    [ $? -eq 119 ] || fail "a fifth session: $(cat err.txt)"
    [ "$(cat out.txt err.txt)" = 'allot: refused: ./h1.sock: there are 4 sessions, which is the limit; try again later' ] ||
        fail "a fifth session is told: $(cat out.txt err.txt)"
done
let_go a
run 1 --lock a,e -- true || fail "a place that is free is not given away"
for name in b c d; do let_go $name; done

# --- Who says no hello takes nobody's place, and has to go.
before=$(descriptors)
idle ./h1.sock 2000
wait_until 20 "idle connections are made" test -s idle.txt
for name in a b c d; do hold $name 1 --lock $name; done
wait_until 20 "the idle ones are closed" few_descriptors $((before + 20)) # a connection and four of processes for each who holds
[ "$(grep -c 'from unix is refused: no hello within 5 seconds' h1.log)" -eq 1 ] || fail "it is not said, or too often"
[ "$(grep -c 'from unix is refused: too many connections have not said hello' h1.log)" -eq 1 ] || fail "so many are borne with"
for name in a b c d; do let_go $name; done
idle_no_more

# --- Visitors of the page.
before=$(descriptors)
idle "$loopback:7490" 500
wait_until 20 "visitors come" test -s idle.txt
page_answers || fail "the page is taken by those who do not ask"
few_descriptors $((before + 64)) || fail "there are too many visitors: $(descriptors) descriptors, $before before"
idle_no_more
wait_until 20 "visitors go" few_descriptors "$before"

# --- Few descriptors: what the daemon needs for its own files is left, whoever comes.
stop 1
sed -i "s/^sessions = 4/sessions = 100/" h1.toml
within[1]="prlimit --nofile=120:120"
start 1
# Of 120 descriptors, 32 are the daemon's own and 7 for the page. Half of the rest is for processes that are followed, with
# three each: that makes 13, and three quarters of them are for one user.
for ((i = 0; i < 10; i++)); do hold many$i 1 --lock many$i; done
run 1 --lock many10 --timeout 20s -- touch wrong 2>err.txt
[ $? -eq 119 ] || fail "one process more is followed: $(cat err.txt)"
contains 'the daemon watches 10 processes for .*, which is the limit for one user' err.txt || fail "it is told: $(cat err.txt)"
idle ./h1.sock 200
wait_until 20 "idle connections are made" test -s idle.txt
first_idle=$idle first_idler=$idler
idle "$loopback:7490" 200
wait_until 20 "visitors come" test -s idle.txt
[ "$(descriptors)" -le 110 ] || fail "only $((120 - $(descriptors))) descriptors are left for the daemon's own files"
page_answers || fail "the page does not answer"
contains 'Too many open files' h1.log && fail "the daemon ran out of descriptors: $(grep 'Too many' h1.log)"
idle_no_more
exec {first_idle}>&-
wait $first_idler
for ((i = 0; i < 10; i++)); do let_go many$i; done

# --- None left, because somebody lowers the limit of the process: the daemon waits for some, and who is connected notices
# nothing.
hold keeper 1 --lock kept
prlimit --pid "${process[1]}" --nofile=$(($(descriptors) + 2)): || fail "the limit of the daemon cannot be lowered"
idle ./h1.sock 200
wait_until 20 "there are no descriptors" contains 'cannot accept connections: Too many open files' h1.log
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/${process[1]}/stat"; }
# A daemon that tries again without a rest takes 50 ticks of CPU time in half a second, and is never found asleep.
rests() {
    local before
    before=$(cpu_ticks)
    sleep 0.5
    [ $(($(cpu_ticks) - before)) -le 5 ] && grep -q '^State:.*S' "/proc/${process[1]}/status"
}
wait_until 10 "the daemon rests" rests
let_go keeper
idle_no_more
prlimit --pid "${process[1]}" --nofile=120: || fail "the limit of the daemon cannot be raised"
wait_until 20 "the page is back" page_answers
run 1 --lock kept --timeout 20s -- true || fail "programs are not let in any more"

[ ! -e wrong ] || fail "somebody ran who was not let in"
exit 0
