# `allot node --migrate`: configurations of earlier versions become ones that the daemon starts with: with failure
# detectors, and without [bootstrap].
# The former file stays beside it, a broken file is left alone, and a second time there is nothing to change.
set -u
. "$ALLOT_SOURCE_DIR/tests/support/node.sh"
fail() {
    echo "FAILED: $*"
    cat out.txt err.txt
    exit 1
}
migrate() { "$ALLOT" node --migrate "$1" >out.txt 2>err.txt; }
# left_alone FILE: as it was, with nothing beside it.
left_alone() {
    cmp -s "$1" former.toml || fail "$1 was changed"
    [ -z "$(find . -name "$1.before*")" ] || fail "$1 was kept, though nothing was changed"
}

rm -rf state ./*.toml* audit.log
cat >node.toml <<TOML
host = "alpha"  # this machine
socket = "$ALLOT_SOCKET"
state = "$PWD/state"

# When another host counts as dead.
[detector]
mode = "heartbeat"        # never ask the kernel
# signs of life
heartbeat = "250ms"
dead_after = "4s"         # the same on all hosts
stop_within = "1500ms"
resume_within = "7s"      # for slow programs

# After the detector.
[semaphores]
builds = 2

[audit]
file = "$PWD/audit.log"
TOML
chmod 640 node.toml
cp node.toml former.toml
"$ALLOT" node --config node.toml 2>err.txt && fail "the daemon starts with settings that are gone"
grep -q 'allot node --migrate node.toml' err.txt || fail "it does not say how to rewrite the file"
migrate node.toml || fail "not migrated"
cat >expected.txt <<TXT
node.toml:7: detector.mode is dropped: engine = "file" in [register] says that all hosts run on one machine
node.toml:9: detector.heartbeat is dropped: four signs of life come within bootstrap.silence
node.toml:10: detector.dead_after becomes bootstrap.silence = "4s"
node.toml:11: detector.stop_within becomes bootstrap.lease = "1500ms"
node.toml:12: detector.resume_within becomes limits.resume_within = "7s"
node.toml:15: [semaphores] becomes [bootstrap.semaphores]
node.toml: bootstrap.grace = "750ms" is new: at most half of a lease
$PWD/node.toml.before-migration is the former file
TXT
diff expected.txt out.txt || fail "the changes are not told"
cat >expected.txt <<TXT
host = "alpha"  # this machine
socket = "$ALLOT_SOCKET"
state = "$PWD/state"

# When another host counts as dead.
[bootstrap]
grace = "750ms"
# signs of life
silence = "4s"         # the same on all hosts
lease = "1500ms"

[limits]
resume_within = "7s"      # for slow programs

# After the detector.
[bootstrap.semaphores]
builds = 2

[audit]
file = "$PWD/audit.log"
TXT
diff expected.txt node.toml || fail "not the file that was to be expected"
cmp -s former.toml node.toml.before-migration || fail "the former file is not kept"
[ "$(stat -c %a node.toml)" = 640 ] || fail "the permissions have changed"
start_node
"$ALLOT" run --lock db --permit builds=2 --timeout 30s -- true || fail "the daemon does not serve with the new file"
end_node TERM
"$ALLOT" log audit.log --event migrated --json | grep -q '"user":"'"$(id -un)"'".*"reason":"node.toml: 7 changes"' ||
    fail "no line in the audit log: $(cat audit.log)"

cp node.toml former.toml
migrate node.toml && [ "$(cat out.txt)" = "node.toml: nothing to change" ] || fail "changed twice"
cmp -s node.toml former.toml || fail "nothing to change, but changed"

# The version that had a register and no [bootstrap]. Its settings are the same afterwards.
cat >before.toml <<TOML
host = "alpha"
socket = "$ALLOT_SOCKET"
state = "$PWD/state"
# All of them.
[cluster.hosts]  # four
alpha = "127.0.0.1:1"
"b c" = "127.0.0.1:2"

[semaphores]
builds = 2        # machines
[semaphores.licences]
permits = 10
max_request = 3

[register]
engine = "file"   # one machine
file = "$PWD/register"
# How long?
lease = "6s"      # long
silence = "2s"
[locks]
seats = 77
[[mode]]  # racks
names = ["rack*"]
mode = "sticky"
[[mode]]
names = ["gpu*"]
strict = true
TOML
cp before.toml former.toml
"$ALLOT" node --config before.toml 2>err.txt && fail "the daemon starts with an earlier layout"
migrate before.toml || fail "not migrated from the version without [bootstrap]"
cat >expected.txt <<TXT
before.toml:5: [cluster.hosts] becomes [bootstrap.hosts]; if this host reaches others by ways of its own, name them in [addresses]
before.toml:9: [semaphores] becomes [bootstrap.semaphores]
before.toml:19: register.lease becomes bootstrap.lease
before.toml:20: register.silence becomes bootstrap.silence
before.toml:22: locks.seats becomes bootstrap.seats
before.toml:23: [[mode]] becomes [[bootstrap.mode]]
$PWD/before.toml.before-migration is the former file
TXT
diff expected.txt out.txt || fail "the changes are not told"
cat >expected.txt <<TXT
host = "alpha"
socket = "$ALLOT_SOCKET"
state = "$PWD/state"
# All of them.
[bootstrap.hosts]  # four
alpha = "127.0.0.1:1"
"b c" = "127.0.0.1:2"

[bootstrap.semaphores]
builds = 2        # machines
[bootstrap.semaphores.licences]
permits = 10
max_request = 3

[register]
engine = "file"   # one machine
file = "$PWD/register"
# How long?
[bootstrap]
lease = "6s"      # long
silence = "2s"
seats = 77
[[bootstrap.mode]]  # racks
names = ["rack*"]
mode = "sticky"
[[bootstrap.mode]]
names = ["gpu*"]
strict = true
TXT
diff expected.txt before.toml || fail "not the file that was to be expected"
cmp -s former.toml before.toml.before-migration || fail "the former file is not kept"
migrate before.toml && [ "$(cat out.txt)" = "before.toml: nothing to change" ] || fail "changed twice"

# A copy from earlier is not overwritten.
mv node.toml.before-migration node.toml
echo precious >node.toml.before-migration
migrate node.toml || fail "not migrated beside an earlier copy"
[ "$(cat node.toml.before-migration)" = precious ] || fail "an earlier copy was overwritten"
grep -q 'dead_after' node.toml.before-migration-2 || fail "no second copy"

# A link stays a link.
mkdir -p real
printf 'host = "a"\n[detector]\ndead_after = "5s"\n' >real/link.toml
ln -s real/link.toml link.toml
migrate link.toml || fail "not migrated through a link"
[ -L link.toml ] && grep -q 'silence = "5s"' real/link.toml && grep -q dead_after real/link.toml.before-migration ||
    fail "the file behind the link was not replaced"

# refused EXPECTED LINES...: in one line, and the file is left alone.
refused() {
    local expected=$1
    shift
    printf '%s\n' "$@" >broken.toml
    cp broken.toml former.toml
    migrate broken.toml
    [ $? -eq 2 ] && [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] || fail "not refused in one line: $*"
    grep -qF -- "$expected" err.txt || fail "not for the reason: $expected"
    left_alone broken.toml
}
refused 'broken.toml:3: ' 'host = "a"' '[detector]' 'dead_after = '
refused 'broken.toml:4: limits.sokcet: no such setting' '[detector]' 'dead_after = "5s"' '[limits]' 'sokcet = 1'
refused 'broken.toml: host is missing' '[detector]' 'dead_after = "5s"'
refused 'broken.toml:3: detector.dead_after: write a time, as in "250ms"' 'host = "a"' '[detector]' 'dead_after = 5'
refused 'broken.toml:3: detector.deaf_after: no version had such a setting' 'host = "a"' '[detector]' 'deaf_after = "5s"'
refused 'broken.toml:2: register: write it as a table, [register]' 'host = "a"' 'register = { engine = "hosts", lease = "3s" }'
refused 'bootstrap.grace: write at least' 'host = "a"' '[register]' 'grace = "2s"' '[detector]' 'stop_within = "3s"'
refused 'broken.toml:4: bootstrap.seats: write a whole number' 'host = "a"' '# why' '[locks]' 'seats = "many"'
refused 'broken.toml:2: [semaphores]: [bootstrap.semaphores] is there already' 'host = "a"' '[semaphores]' '[bootstrap.semaphores]'
"$ALLOT" node --migrate missing.toml 2>err.txt
[ $? -eq 2 ] && grep -q 'missing.toml: cannot read this file' err.txt || fail "a missing file"
"$ALLOT" node --migrate node.toml --config node.toml 2>err.txt
[ $? -eq 2 ] || fail "two orders at once"
"$ALLOT" node 2>err.txt
[ $? -eq 2 ] && grep -q -- 'no configuration; write --config FILE' err.txt || fail "no configuration"
exit 0
