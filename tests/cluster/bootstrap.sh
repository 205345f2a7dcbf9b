# [bootstrap] is read once, by the first forming. Hosts that join need none, and one that differs, also after a restart, is
# told where, and obeys what the cluster has agreed on. Only `init --bootstrap` reads times, seats and modes again, while
# all hosts are stopped; `init` without it keeps all that the hosts remember.
engine=${engine:-file}
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

cluster() { local i=$1; shift; timeout 30 "$ALLOT" cluster "$@" --socket "./h$i.sock" 2>&1; }
expect() { [[ $1 == *"$2"* ]] || fail "expected \"$2\", found: $1"; }
# has HOST LEASE: the settings with which that host runs, as its status and the register have them.
has() {
    local founded
    founded=$(cluster "$1" show --json | grep -o '"founded":{[^}]*}')
    expect "$founded" "\"lease\":\"$2\",\"grace\":\"300ms\",\"silence\":\"500ms\",\"return_within\":\"1500ms\",\"seats\":\"1024\""
    expect "$founded" '"mode":["{ names = [\"cache-*\"], mode = \"fence\" '
    run "$1" --lock a --permit builds --timeout 20s -- true || fail "h$1 does not serve"
    run "$1" --lock a --grace $((${2%s} * 1000))ms -- true 2>grace.txt && fail "a grace of a whole lease is taken"
    expect "$(cat grace.txt)" "a program has $((${2%s} * 1000))ms to stop using a lost lease here"
}
# tells HOST NAME HERE THERE: in its log, once.
tells() {
    local line="bootstrap.$2 is $3 in the file of this host; the cluster has $4, which counts"
    wait_until 10 "h$1 says $2" grep -qF -- "$line" "h$1.log"
    [ "$(grep -cF -- "$line" "h$1.log")" -eq 1 ] || fail "h$1 says more than once: $line"
}
no_guardian() {
    pkill -KILL -f "allot guardian --folder $PWD/h$1 "
    sleep 0.3
    ! pgrep -f "allot guardian --folder $PWD/h$1 " >/dev/null
}
is_fenced() { "$ALLOT" status --socket "./h$1.sock" | grep -q "$2 .*fenced"; }

agree $'lease = "2s"\ngrace = "300ms"\nsilence = "500ms"'
modes=$'[[bootstrap.mode]]\nnames = ["cache-*"]\nmode = "fence"'
configure 2
start_all
for i in 1 2; do has $i 2s; done
mode='{ names = ["cache-*"], mode = "fence" }'

# --- A host joins that has no [bootstrap], and one whose own is another.
newcomer 3
expect "$(join 3 1)" 'host h3 is in the cluster'
start 3
wait_until 20 "h3 takes part" has_member 1 h3
has 3 2s
hold soft 3 --lock cache-1
is_fenced 3 cache-1 || fail "h3 does not know the mode of cache-1: $("$ALLOT" status --socket ./h3.sock)"
let_go soft
contains 'which counts' h3.log && fail "a file without [bootstrap] differs: $(cat h3.log)"
newcomer 4
printf '[bootstrap]\nlease = "7s"\nseats = 9\nadmission = "operator"\n[bootstrap.semaphores]\nbuilds = 9\n' >>h4.toml
expect "$(join 4 3)" 'host h4 is in the cluster'
start 4
wait_until 20 "h4 takes part" has_member 1 h4
has 4 2s
tells 4 lease 7s 2s
tells 4 seats 9 1024
tells 4 semaphores.builds '9 permits' '2 permits'
tells 4 admission operator certificate
[ "$(grep -c 'which counts' h4.log)" -eq 4 ] || fail "h4 names what its file does not say: $(cat h4.log)"

# --- A restart with another [bootstrap] changes nothing.
stop 2
sed -i 's/^lease = .*/lease = "8s"/; s/^mode = .*/mode = "sticky"/; s/^builds = .*/builds = 5/' h2.toml
sed -i '/^\[bootstrap.hosts\]$/,/^\[/s/^h1 = .*/h1 = "127.0.0.1:1"/' h2.toml
sed -i 's/^\[addresses\]$/&\nnobody = "127.0.0.1:1"/' h2.toml
: >h2.log
start 2
wait_until 20 "h2 takes part again" has_member 1 h2
has 2 2s
tells 2 lease 8s 2s
tells 2 mode '{ names = ["cache-*"], mode = "sticky" }' "$mode"
tells 2 semaphores.builds '5 permits' '2 permits'
tells 2 hosts.h1 127.0.0.1:1 "$(address_of 1)"
[ "$(grep -c 'which counts' h2.log)" -eq 4 ] || fail "h2 names what its file does not say: $(cat h2.log)"
[ "$(grep -c 'addresses.nobody: the cluster has no host of this name' h2.log)" -eq 1 ] ||
    fail "h2 does not say that nobody is no host, or says it twice: $(cat h2.log)"
applied=$(cluster 1 apply h2.toml --dry-run)
expect "$applied" 'bootstrap.lease is 8s in h2.toml; the cluster has 2s: would not be changed'
expect "$applied" 'would change semaphore builds: 2 permits -> 5 permits'
[[ $applied != *bootstrap.semaphores* ]] || fail "what changes is named as not changed: $applied"
expect "$(cluster 1 set lease=5s)" 'lease: it stays as it was when the cluster was formed; to change it, stop all hosts'

# --- A host that has lost its folder finds the settings in the register, before it serves anybody.
if [ "$engine" != hosts ]; then
    kill_machine 2
    # The daemon may just have started one more, which finds the folder taken.
    wait_until 10 "no guardian of h2 is left" no_guardian 2
    rm -rf h2
    : >h2.log
    start 2
    wait_until 20 "h2 takes part with an empty folder" has_member 1 h2
    has 2 2s
    contains 'the cluster has agreed on other settings than this daemon has; it begins again with them' h2.log ||
        fail "h2 did not begin again: $(cat h2.log)"
    [ "$(grep -c 'other settings than this daemon has' h2.log)" -eq 1 ] || fail "h2 begins again and again: $(cat h2.log)"
fi

# --- All hosts are stopped, and form their register once more. The file of h1 differs, and does not count.
# init HOST FLAGS...: on all hosts, or on the first one where that is enough.
init() { timeout 30 "$ALLOT" cluster init --config "h$1.toml" "${@:2}" 2>&1; }
begin_again() {
    local i
    for i in 4 3 2 1; do stop $i; done
    "${@:2}"
    for i in 1 2 3 4; do
        [ "$engine" = hosts ] || [ "$i" = 1 ] || continue
        # shellcheck disable=SC2086
        init $i $1 >"init$i.txt" || fail "h$i: $(cat "init$i.txt")"
    done
    for i in 1 2 3 4; do start $i; done
    wait_until 30 "all take part again" members_are 1 h1,h2,h3,h4
}
write_config 2
sed -i 's/^lease = .*/lease = "9s"/; s/^builds = .*/builds = 7/' h1.toml
begin_again '--above 1000' true
contains 'lease' init1.txt && fail "init changes the lease: $(cat init1.txt)"
for i in 1 2 3 4; do has $i 2s; done
expect "$(cluster 3 show --json)" '"semaphores":{"builds":{"permits":2,"max_request":2}}'

# --- The same, with another lease. A file without it is refused, and so is one that fits ill to the other settings.
refuses_files() {
    local i
    expect "$(init 3 --above 2000 --bootstrap)" 'h3.toml: --bootstrap: write those of lease, grace, silence, return_within, seats, mode that shall change in [bootstrap]'
    for i in 3 4; do
        newcomer $i
        printf '[bootstrap]\nlease = "3s"\n' >>"h$i.toml"
    done
    for i in 1 2; do sed -i 's/^lease = .*/lease = "3s"/' "h$i.toml"; done
    sed 's/^lease = .*/lease = "3s"\nsilence = "1h"/' h3.toml >wrong.toml
    expect "$(timeout 30 "$ALLOT" cluster init --above 2000 --bootstrap --config wrong.toml 2>&1)" 'bootstrap.silence: write at least'
    cp h1/settings kept
    echo garbage >h1/settings
    expect "$(init 1 --above 2000 --bootstrap)" 'h1/settings'
    expect "$(init 1 --above 2000 --bootstrap)" 'it has the hosts and settings of the cluster: move it away, and join a cluster that runs by `allot cluster join`'
    mv kept h1/settings
}
begin_again '--above 2000 --bootstrap' refuses_files
for i in init[1-4].txt; do
    [ "$(sed -n 's/^lease: //p' "$i")" = '2s -> 3s' ] || [ ! -s "$i" ] || fail "$i: $(cat "$i")"
    contains '^grace' "$i" && fail "grace was not written: $(cat "$i")"
done
[ "$engine" != hosts ] || contains 'Do the same on all hosts, then start them' init1.txt || fail "init says: $(cat init1.txt)"
for i in 1 2 3 4; do has $i 3s; done
exit 0
