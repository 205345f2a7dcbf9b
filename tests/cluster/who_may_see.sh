# Who sees what of programs of others, at the socket and on the page; that secrets of command lines are seen nowhere; and
# that SIGHUP takes over other rules.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

nobody=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
[ "$(id -u)" -eq 0 ] && "${nobody[@]}" "$ALLOT" --version >/dev/null 2>&1 || { echo "skipped: this needs root and nobody"; exit 77; }
chmod a+rx . # its sockets are for everybody

rm -f audit?.log *.go
configure 2
sed -i '1i socket_mode = "0666"' h1.toml h2.toml
with_page 1
for i in 1 2; do printf '[audit]\nfile = "audit%s.log"\n' $i >>h$i.toml; done
start_all

# job NAME HOST LOCK [AS...]: a program with a secret in its command line holds a lock until NAME.go is there.
job() {
    local name=$1 host=$2 lock=$3
    shift 3
    "$@" "$ALLOT" run --socket "./h$host.sock" --lock "$lock" -- \
        timeout 60 sh -c 'while [ ! -e "$1" ]; do sleep 0.05; done' of-$name "$name.go" '--password=open sesame' &
    started+=($!)
    wait_until 20 "$name is granted" holds "$lock"
}
holds() { "$ALLOT" status --socket ./h1.sock | grep -q "^$1 .* holds "; }
status_of() { "$@" "$ALLOT" status --json --socket ./h1.sock; }
job root-job 2 of-root
job nobody-job 1 of-nobody "${nobody[@]}"

# --- Without a rule.
status_of env >all.txt
grep -q of-root-job all.txt && grep -q of-nobody-job all.txt || fail "an administrator does not see all: $(cat all.txt)"
status_of "${nobody[@]}" >nobody.txt
grep -q '"name":"of-root"' nobody.txt || fail "the names of resources are hidden: $(cat nobody.txt)"
grep -q of-nobody-job nobody.txt || fail "it does not see its own: $(cat nobody.txt)"
! grep -q 'of-root-job\|"user":"root"' nobody.txt || fail "it sees what others do: $(cat nobody.txt)"
"${nobody[@]}" "$ALLOT" status --socket ./h1.sock >table.txt
grep -q 'Users, processes and commands of others are not shown' table.txt || fail "nobody says what is hidden: $(cat table.txt)"
page /status >page.txt
grep -q '"name": "of-root"' page.txt || fail "the page has no names: $(cat page.txt)"
! grep -q 'of-root-job\|of-nobody-job\|"root"\|"nobody"' page.txt || fail "the page shows who does what: $(cat page.txt)"

# --- Secrets.
grep -q 'of-root-job root-job.go .--password=\*\*\*' all.txt || fail "the command is not shown as it should: $(cat all.txt)"
! grep -q sesame all.txt audit1.log audit2.log h1.log h2.log || fail "a secret is seen"
grep -q 'of-root-job' audit2.log || fail "the audit log does not name the command"

# --- Rules, which count at once.
# reloaded TEXT: SIGHUP, and the log says so.
reloaded() {
    local before
    before=$(wc -l <h1.log)
    kill -HUP "${process[1]}"
    wait_until 10 "the log says: $1" bash -c "tail -n +$((before + 1)) h1.log | grep -qF -- '$1'"
}
cp h1.toml plain.toml
printf '[[allow]]\nusers = ["*"]\nlocks = ["*"]\nsemaphores = ["*"]\nread = "none"\n' >>h1.toml
reloaded 'SIGHUP: [[allow]] counts from now on'
status_of "${nobody[@]}" >nobody.txt
! grep -q 'of-root' nobody.txt && grep -q of-nobody-job nobody.txt || fail "read = none: $(cat nobody.txt)"
! page /status | grep -q 'of-root\|of-nobody' || fail "read = none: the page names resources"
"${nobody[@]}" "$ALLOT" run --permit cars --socket ./h1.sock -- true 2>nobody.txt
grep -q 'cars: no such semaphore$' nobody.txt || fail "read = none: $(cat nobody.txt)"
"${nobody[@]}" "$ALLOT" cluster show --socket ./h1.sock >nobody.txt 2>&1
grep -q '^h2 ' nobody.txt && ! grep -q builds nobody.txt || fail "read = none: $(cat nobody.txt)"
"$ALLOT" cluster show --socket ./h1.sock | grep -q builds || fail "an administrator does not see all settings"
printf '[[allow]]\nusers = ["nobody"]\nread = "all"\n' >>h1.toml
reloaded 'SIGHUP: [[allow]] counts from now on'
status_of "${nobody[@]}" | grep -q of-root-job || fail "read = all shows not all"
cp plain.toml h1.toml
printf '[status]\nredact = ["root-job"]\n' >>h1.toml
reloaded 'SIGHUP: [status], [[allow]] count from now on'
status_of env | grep -q 'of-\*\*\* \*\*\*.go' || fail "a new pattern does not count: $(status_of env)"
printf '[nonsense\n' >>h1.toml
reloaded 'the former settings stay in use'
[ "$(grep -c 'SIGHUP: h1.toml:' h1.log)" -eq 1 ] || fail "a wrong file is not one line: $(cat h1.log)"
status_of env | grep -q 'of-\*\*\* \*\*\*.go' || fail "a wrong file changes something"
cp plain.toml h1.toml
sed -i 's/^http = .*/http = ""/' h1.toml
reloaded 'SIGHUP: http has changed, and counts after a restart'
touch root-job.go nobody-job.go
exit 0
