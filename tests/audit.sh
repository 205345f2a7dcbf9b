# The audit log of a real daemon: what was granted, refused, withdrawn and given back, across a restart, and `allot log`.
set -u
. "$ALLOT_SOURCE_DIR/tests/support/node.sh"
fail() {
    echo "FAILED: $*"
    cat audit.log node.log
    exit 1
}
# expect_lines COUNT FLAGS...: `allot log` shows so many lines, apart from the heading.
expect_lines() {
    local wanted=$1
    shift
    "$ALLOT" log audit.log "$@" >shown.txt || fail "allot log $*"
    [ "$(tail -n +3 shown.txt | wc -l)" -eq "$wanted" ] || { cat shown.txt; fail "not $wanted lines: allot log $*"; }
}

write_config
printf '[audit]\nfile = "%s/audit.log"\n[[allow]]\nusers = ["*"]\nlocks = ["db", "job"]\nsemaphores = ["builds"]\n' "$PWD" >>node.toml
rm -f audit.log
start_node
"$ALLOT" run --lock db,job --permit builds -- true || fail "not granted"
"$ALLOT" run --lock secret -- true 2>err.txt && fail "secret is not forbidden"
"$ALLOT" run --lock db -- sleep 60 &
holder=$!
eventually grep -q 'granted.*sleep 60' audit.log || fail "db is not held"
"$ALLOT" run --lock db --timeout 100ms -- true 2>err.txt && fail "db was granted twice"
kill "$holder"
wait "$holder" 2>/dev/null
eventually grep -q 'released.*sleep 60' audit.log || fail "db is not given back"
end_node TERM
start_node
end_node TERM

expect_lines 2 --event granted
# Program and daemon both count the time.
[ "$(grep -cE '"withdrawn"|not granted in time' audit.log)" -eq 1 ] || fail "no line about who waited in vain"
expect_lines 2 --event released
expect_lines 2 --event started
"$ALLOT" log audit.log --event view --json >views.json || fail "allot log --event view"
grep -q '"reason":"view [0-9]*: alpha"' views.json || fail "no line with a view and its hosts"
[ "$(grep -cv '"event":"view"' views.json)" -eq 0 ] || fail "other lines are shown as views"
expect_lines 1 --resource secret
grep -q 'secret' shown.txt || fail "it does not name what was refused"
expect_lines 3 --last 3
expect_lines 0 --since 0.001s
"$ALLOT" log --config node.toml --resource job --json >job.json || fail "no log in the configuration"
[ "$(wc -l <job.json)" -eq 2 ] || fail "job was granted once and given back"
grep -q '"event":"granted".*"name":"db","fence":"[0-9]*"' job.json || fail "no fence"
"$ALLOT" log audit.log --json | cmp - audit.log || fail "the lines are not shown as they are"

# What is wrong is said in one line.
for wrong in "log" "log none.log" "log audit.log --event gone" "log node.toml" "log audit.log --since soon"; do
    # shellcheck disable=SC2086
    "$ALLOT" $wrong >/dev/null 2>err.txt
    [ $? -eq 2 ] || fail "allot $wrong is not refused"
    [ "$(wc -l <err.txt)" -eq 1 ] || fail "allot $wrong: $(cat err.txt)"
done
