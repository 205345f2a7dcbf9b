# The audit log in the systemd journal: a real journald in a mount namespace of its own. A journald that is missing,
# stopped or dead costs lines and nothing else, and /health says so. Skipped where this user may not do that.
skip() {
    echo "skipped: $*"
    exit 77
}
if [ "${1:-}" != inside ]; then
    [ -x /lib/systemd/systemd-journald ] || skip "there is no systemd-journald"
    unshare -m -n true 2>why.txt || skip "no namespaces here: $(head -n 1 why.txt)"
    exec unshare -m -n bash "$0" inside
fi
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

# A machine without a journal, whose sockets keep ten messages.
prepare() {
    local folder
    ip link set lo up && echo 10 >/proc/sys/net/unix/max_dgram_qlen && mkdir -p /run/systemd /run/log || return 1
    for folder in /run/systemd /run/log /var/log; do mount -t tmpfs tmpfs $folder || return 1; done
    mkdir /run/systemd/journal
    printf '[Journal]\nStorage=volatile\nReadKMsg=no\nAudit=no\nRateLimitIntervalSec=0\n' >journald.conf
    echo 0123456789abcdef0123456789abcdef >machine-id
    mount --bind journald.conf /etc/systemd/journald.conf && mount --bind machine-id /etc/machine-id
}
prepare 2>why.txt || skip "no machine of its own: $(head -n 1 why.txt)"

start_journald() {
    rm -f /run/systemd/journal/socket
    /lib/systemd/systemd-journald 2>>journald.log &
    journald=$!
    started+=($!)
    wait_until 20 "journald listens" test -S /run/systemd/journal/socket
}
unhealthy() { page /health | tr -d '\r' | grep -q "the audit log has gaps: /run/systemd/journal/socket: $1"; }
serves() { run 1 --lock "$1" --permit builds --timeout 20s -- true || fail "not served: $2"; }
shows() { "$ALLOT" log --config h1.toml --json "$@" 2>err.txt; }
has_released() { shows --event released --resource "$1" | grep -q .; }

configure 1
printf '[audit]\njournal = true\n' >>h1.toml
with_page 1
shows >/dev/null
[ $? -eq 2 ] && contains 'there is no journal here that this user may read' err.txt || fail "a journal is read that is not there: $(cat err.txt)"

# Nobody listens.
start 1
serves early "without a journald"
unhealthy 'No such file' || fail "it does not say what is missing: $(page /health)"
[ "$(grep -c 'the audit log has gaps' h1.log)" -eq 1 ] || fail "not one line"

start_journald
serves db "with journald"
wait_until 20 "the line is in the journal" has_released db
healthy || fail "not healthy with a journald: $(page /health)"
contains 'the journal: writing works again; [0-9]* lines are missing' h1.log || fail "it does not say that lines are missing"
shows >shown.txt
journalctl -q -o cat ALLOT_HOST=h1 >journal.txt
diff shown.txt journal.txt || fail "the message is not the line of JSON"
shows --event granted --resource db >granted.txt
fence=$(sed -n 's/.*"name":"db","fence":"\([0-9]*\)".*/\1/p' granted.txt)
[ -n "$fence" ] && journalctl -q -o cat ALLOT_EVENT=granted ALLOT_RESOURCE=db ALLOT_RESOURCE=builds ALLOT_FENCE="$fence" \
    ALLOT_USER="$(id -un)" SYSLOG_IDENTIFIER=allot | diff - granted.txt || fail "the fields are not those of the line"
contains '"time"' shown.txt && shows --resource early | grep -q . && fail "a lost line is there"

# A journald that does not read stops nobody.
kill -STOP $journald
for i in $(seq 8); do serves "stuck$i" "journald was stopped"; done
wait_until 20 "it says that journald does not read" unhealthy 'journald does not read'
kill -CONT $journald
serves again "journald goes on"
wait_until 20 "lines arrive again" has_released again
healthy || fail "not healthy when journald goes on: $(page /health)"

kill -KILL $journald
wait $journald 2>/dev/null
serves after "journald was killed"
unhealthy 'Connection refused' || fail "it does not say that journald is gone: $(page /health)"
start_journald
stop 1
wait_until 20 "the stop is in the journal" eval 'shows --event stopped | grep -q "\"reason\":\"SIGTERM\""'
exit 0
