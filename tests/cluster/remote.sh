# Programs on other machines, with real certificates: who is let in, who may use what, by certificate, user and group;
# `allot run` and `allot status` over TLS, and what becomes of a lease when `allot run` is killed there.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

"$ALLOT" cert --dir certs h1 h2 --program ci-1,deploy,h1 --force >/dev/null || fail "no certificates"
"$ALLOT" cert --dir others h1 --program ci-1 --force >/dev/null || fail "no other certificates"
tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"'
group=daemon
modes=$'[[bootstrap.mode]]\nnames = ["build-strict"]\nstrict = true'
configure 2
for i in 1 2; do
    sed -i "1i clients = \"$loopback:$((7480 + i))\"" "h$i.toml"
done
cat >>h1.toml <<END
[[allow]]
users = ["cert:ci-*"]
locks = ["build-*"]
semaphores = ["builds"]
[[allow]]
users = ["@$group", "@no-such-group", "no-such-user"]
locks = ["of-the-group"]
[[allow]]
users = ["$(id -un)"]
locks = ["of-the-user", "build-*"]
[[allow]]
users = ["cert:deploy"]
read = "all"
END
start_all

contains 'allow.users: "@no-such-group": there is no such group here yet' h1.log || fail "a misspelt group is not told of"
contains 'allow.users: "no-such-user": there is no such user here yet' h1.log || fail "a misspelt user is not told of"

# as PAPERS COMMAND ARGUMENTS...: with that certificate, at h1.
as() {
    local papers=$1 command=$2
    shift 2
    timeout 50 "$ALLOT" "$command" --at "$loopback:7481" --server-name h1 --ca certs/ca.pem --cert "$papers.pem" \
        --key "$papers.key" "$@"
}
# refused CODE TEXT COMMAND...: it ends with this code, and one line that says so.
refused() {
    local wanted=$1 text=$2
    shift 2
    "$@" >out.txt 2>err.txt
    local code=$?
    [ $code -eq "$wanted" ] && [ "$(cat out.txt err.txt | wc -l)" -eq 1 ] && grep -qF -- "$text" err.txt ||
        fail "$*: exit code $code, wanted $wanted and one line with: $text; it said: $(cat out.txt err.txt)"
}

# --- Who may use what.
as certs/programs/ci-1 run --lock build-7 --permit builds -- true || fail "ci-1 is refused what it may use"
refused 119 'ci-1 may not take lock of-the-user' as certs/programs/ci-1 run --lock build-7,of-the-user -- touch wrong
refused 119 'deploy may not take lock build-7' as certs/programs/deploy run --lock build-7 -- touch wrong
refused 119 'deploy may not use semaphore builds' as certs/programs/deploy run --permit builds -- touch wrong
run 1 --lock of-the-user,build-7 -- true || fail "a user is refused what it may use"
refused 119 "$(id -un) may not use semaphore builds" run 1 --permit builds -- touch wrong
if [ "$(id -u)" -eq 0 ] && setpriv --clear-groups true; then
    setpriv --groups $group "$ALLOT" run --socket ./h1.sock --lock of-the-group -- true || fail "one of the group is refused"
    setpriv --regid $group --clear-groups "$ALLOT" run --socket ./h1.sock --lock of-the-group -- true ||
        fail "one whose main group it is is refused"
    refused 119 'may not take lock of-the-group' \
        setpriv --regid nogroup --groups nogroup "$ALLOT" run --socket ./h1.sock --lock of-the-group -- touch wrong
else
    id -Gn | grep -qw $group || refused 119 'may not take lock of-the-group' run 1 --lock of-the-group -- touch wrong
fi

# --- Nobody can stop a command on another machine.
refused 119 'only programs that can be stopped may use it (strict)' \
    as certs/programs/ci-1 run --lock build-7,build-strict -- touch wrong
run 1 --lock build-strict --timeout 20s -- true || fail "a command on a host is refused, which can be stopped"

# --- Who is let in. A program that is called like a host is still a program, and a host is none.
refused 119 'its certificate is for host h2' as certs/h2 run --lock build-7 -- touch wrong
refused 123 'is `allot node` running there' as others/programs/ci-1 run --lock build-7 -- touch wrong
rm -rf fake && mkdir fake
sed -e 's/"h1.sock"/"fake\/sock"/; s/state = "h1"/state = "fake\/state"/; s/:7401/:7498/; s/:7481/:7497/' \
    -e 's/certs\/h1/certs\/programs\/h1/' h1.toml >fake/h1.toml
"$ALLOT" node --config fake/h1.toml 2>fake/log &
started+=($!)
wait_until 20 "a program that says it is h1 is refused" contains \
    'no link to host h2: refused: it says that it is host h1, but its certificate is for program h1' fake/log
# Nor do programs believe it that it is the daemon of h1.
refused 123 'unsuitable certificate purpose' "$ALLOT" status --at "$loopback:7497" --server-name h1 --ca certs/ca.pem \
    --cert certs/programs/ci-1.pem --key certs/programs/ci-1.key
kill -KILL "${started[-1]}"
wait "${started[-1]}" 2>/dev/null
refused 123 'ostname mismatch' "$ALLOT" status --at "$loopback:7482" --server-name h1 --ca certs/ca.pem \
    --cert certs/programs/ci-1.pem --key certs/programs/ci-1.key

# --- Looking, also by the environment.
as certs/programs/deploy status | grep -q 'h1 (here)' || fail "no status over TLS"
ALLOT_AT=$loopback:7482 ALLOT_SERVER_NAME=h2 ALLOT_CA=certs/ca.pem ALLOT_CERT=certs/programs/deploy.pem \
    ALLOT_KEY=certs/programs/deploy.key "$ALLOT" run --lock env -- true || fail "the environment names no daemon"

# --- When the daemon is restarted in order a remote command goes on, and nobody else is let in.
remote_hold() {
    rm -f kid kid.new
    as certs/programs/ci-1 run --lock build-9 --grace 200ms -- sh -c 'echo $$ >kid.new; mv kid.new kid; exec sleep 1000' \
        2>holder.err &
    started+=($!)
    wait_until 20 "the remote command runs" test -s kid
    kid=$(cat kid)
    started+=("$kid")
    # `as` runs in a shell of its own, under that `timeout`, and under that `allot run`.
    holder=$(awk '/^PPid:/ {print $2}' "/proc/$kid/status")
}
remote_hold
as certs/programs/deploy status | grep -q "holds.*h1.*ci-1.*build-9.*sleep 1000" || fail "$(as certs/programs/deploy status)"
stop 1
start 1
run 1 --lock build-9 --timeout 1s -- true 2>/dev/null
[ $? -eq 121 ] || fail "a restart gives away what a remote command holds"
running "$kid" || fail "a restart stops a remote command: $(cat holder.err)"

# --- Over a network silence alone may cost a lock, so the command must stop in a third of the time.
refused 2 '--grace 4000ms: a program has 9000ms to stop using a lost lease here; write at most 3000ms' \
    as certs/programs/ci-1 run --lock build-7 --grace 4s -- touch wrong

# --- When `allot run` is killed, so is the command, and only then are others let in.
kill -KILL "$holder"
run 1 --lock build-9 --timeout 30s -- sh -c "! kill -0 $kid 2>/dev/null" || fail "two use build-9, or nobody can"

# --- When the daemon is killed, the command is stopped.
remote_hold
kill_host 1
wait_until 30 "the command stops when its daemon is gone" not_running "$kid"
wait_until 10 "that is said" contains '^allot: lost: ' holder.err
[ ! -e wrong ] || fail "somebody ran who may not"
exit 0
