# allot swarm as people use it: exit codes, files that replay, and a seed that means the same every time.
set -u
failed=0
# expect CODE ARGUMENTS...: the output is then in out.txt
expect() {
    local code=$1
    shift
    "$ALLOT" "$@" >out.txt 2>err.txt
    local found=$?
    [ $found -eq "$code" ] || fail "allot $*: exit code $found, wanted $code"
}
fail() { echo "$1"; cat out.txt err.txt; failed=1; }
has() { grep -qF -- "$1" out.txt || fail "not in the output: $1"; }

expect 0 swarm raymond --runs 1000
has 'clean: 1,000 runs'
has 'sites 2..5'
expect 0 swarm permits --runs 1000
has 'clean: 1,000 runs'
expect 0 swarm raymond --runs 100 --sites 3 --permits 2 --json
has '"violation":null'
has '"sites":"3"'

expect 1 swarm raymond --permits 1 --crashes 1 --out stuck.txt
has 'expect stuck'
expect 0 play stuck.txt
repeat=$(sed -n 's/^# allot //p' stuck.txt)
expect 1 $repeat --out again.txt
cmp -s stuck.txt again.txt || fail "allot $repeat: another scenario than the first time"
expect 1 swarm raymond --permits 1 --crashes 1 --json
has '"property":"deadlock"'

expect 0 swarm raymond --run 7 --out run.txt
has 'clean: 1 run,'
expect 0 play run.txt
expect 3 swarm raymond --runs 1000000000 --limit 200ms
has 'bounded: '
expect 0 swarm raymond --sites 30 --runs 3 --requests 1

exit $failed
