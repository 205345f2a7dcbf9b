# Locks that begin anew, since a daemon was killed that was alone, or with --fresh: who held one before has stopped by
# the time the next one gets it, even if it clings to life; and fences grow.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

# cling HOST [FLAGS]: somebody holds the lock and ends only by SIGKILL.
cling() {
    local i=$1
    shift
    rm -f clinger
    "$ALLOT" run --socket "./h$i.sock" --lock db "$@" -- bash -c '
        trap "" TERM
        echo "$ALLOT_FENCE $$" >clinger.new
        mv clinger.new clinger
        while :; do sleep 0.05; done' 2>clinger.err &
    started+=($!)
    wait_until 20 "somebody holds the lock" test -e clinger
    read -r fence clinger <clinger
    started+=("$clinger")
    running "$clinger" || fail "who holds the lock is gone"
}

says_why() { "$ALLOT" status --socket "./h$1.sock" | grep -q 'locks are granted'; }

# succeed HOST: the next one waits, finds nobody there, and has a higher fence.
succeed() {
    run "$1" --lock db --timeout 30s -- bash -c "
        kill -0 $clinger 2>/dev/null && echo both >wrong
        echo \$ALLOT_FENCE >successor" &
    local next=$!
    started+=($next)
    wait_until 20 "h$1 says why its locks wait" says_why "$1"
    wait $next || fail "h$1 does not get the lock"
    [ ! -e wrong ] || fail "two used the lock of h$1"
    [ "$(cat successor)" -gt "$fence" ] || fail "fence $(cat successor) after $fence"
}

detector=$'stop_within = "2s"'
configure 1
start 1
cling 1
kill_host 1
start 1
succeed 1

# The longest grace there is.
cling 1 --grace 1500ms
stop 1
start 1 --fresh
succeed 1

# Stopped while it waits for who held it: that is not forgotten.
cling 1 --grace 1500ms
kill_host 1
start 1
stop 1
start 1
succeed 1
stop 1

# The others wait, too, also if they were started long before.
configure 3
start_all
cling 2 --grace 1500ms
for i in 1 2 3; do stop $i; done
start 1 --fresh
start 3 --fresh
sleep 2.5
start 2 --fresh
succeed 1
for i in 1 3; do
    before=$(cat successor)
    run $i --lock db --timeout 20s -- bash -c 'echo $ALLOT_FENCE >successor' || fail "h$i does not get the lock"
    [ "$(cat successor)" -gt "$before" ] || fail "at h$i fence $(cat successor) after $before"
done
exit 0
