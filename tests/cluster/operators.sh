# Who may give orders: root and the user of the daemon, and users whom a rule names. Each order has a line in the audit log;
# what only looks, or would only change, has none.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

[ "$(id -u)" -eq 0 ] && setpriv --clear-groups true || { echo "only root can be somebody else"; exit 77; }
expect() { [[ $1 == *"$2"* ]] || fail "expected \"$2\", found: $1"; }
as_nobody() { (cd / && setpriv --reuid nobody --regid nogroup --clear-groups "$ALLOT" cluster "$@" --socket "$here/h1.sock" 2>&1); }
as_root() { "$ALLOT" cluster "$@" --socket ./h1.sock 2>&1; }
here=$PWD
chmod o+x . 2>/dev/null

configure 1
sed -i '1i socket_mode = "0666"' h1.toml
printf '[audit]\nfile = "%s/audit.log"\n' "$PWD" >>h1.toml
start_all
as_nobody show >/dev/null 2>&1 || { echo "nobody cannot reach this folder"; exit 77; }
expect "$(as_nobody set builds=3)" 'nobody may not give orders here; on this machine root may, and users whom a rule [[allow]]'
expect "$(as_root set builds=3 --dry-run)" 'would change'
grep -q '"event":"order"' audit.log && fail "an order that changed nothing is in the log: $(cat audit.log)"
expect "$(as_root set builds=3)" '2 permits -> 3 permits'
expect "$(as_root set builds=3)" 'nothing changes'
[ "$(grep -c 'semaphore builds: 2 permits -> 3 permits, by root' audit.log)" -eq 1 ] || fail "not one line: $(cat audit.log)"

# A rule for them.
stop 1
printf '[[allow]]\nusers = ["nobody"]\noperate = true\n[[allow]]\nusers = ["*"]\nlocks = ["*"]\n' >>h1.toml
start 1
wait_until 20 "h1 serves" run 1 --lock a --timeout 1s -- true
expect "$(as_nobody set builds=4)" '3 permits -> 4 permits'
expect "$(as_nobody set admission=operator)" 'certificate -> operator'
grep -q '3 permits -> 4 permits, by nobody' audit.log || fail "no line about nobody: $(cat audit.log)"

# Settings that cannot be read do no harm: the register has them.
stop 1
printf 'damaged' >h1/settings
start 1
wait_until 20 "h1 serves" run 1 --lock a --timeout 1s -- true
contains 'settings: .* it is not used' h1.log || fail "nothing is said about the damaged file: $(cat h1.log)"
expect "$(as_root show --json)" '"builds":{"permits":4'
exit 0
