# A machine dies that holds locks, and while the others exchange reports to take them over, a second daemon stops: before
# it sends its report for the new view, after that, or before it acts on the complete view. It is killed there; in
# second_pause.sh it goes on. In every case one waiter enters at a time, not before the leases of the dead have ended,
# with a fence larger than all before; every waiter of a live host is served, and a lock that nobody contended goes on
# being served.
#
# A daemon with ALLOT_STOP_AT=FILE in its environment stops itself (SIGSTOP) at the moment that FILE names:
# before-report, after-report or before-completion. It looks at the file whenever it comes to one of them.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

# enter NAME HOST: asks for a and b; the file NAME.in is there while NAME is inside. It notes its fence in `entered`, and
# in `overlap` whom it meets inside.
enter() {
    rm -f "$1".*
    mkfifo "$1.fifo"
    "$ALLOT" run --socket "./h$2.sock" --grace 500ms --lock a,b -- bash -c "
        mkdir inside || echo $1 >>overlap
        echo $1 \$ALLOT_FENCE_a >>entered
        echo \$\$ >$1.new; mv $1.new $1.in; read -r line <$1.fifo; rm $1.in; rmdir inside" >/dev/null 2>"$1.err" &
    asker[$1]=$!
    started+=($!)
}
inside() { ls first.in second.in third.in 2>/dev/null; }
anybody_inside() { [ -n "$(inside)" ]; }
# has_stopped HOST: otherwise it was still running at $lived_at.
has_stopped() {
    local now
    now=$(now_ms)
    ! grep -q '^State:[[:space:]]*T' "/proc/${process[$1]}/status" || return 0
    lived_at=$now
    return 1
}
# h3 has its token, unless a later user took it.
free_lock_is_served() { run 3 --lock free --timeout 40s -- true 2>free.err || fail "$case: $1: $(cat free.err)"; }

# One after the other, each with a larger fence.
serve() {
    local count=0 name
    while [ $count -lt "$1" ]; do
        wait_until 40 "$case: waiter $((count + 1)) of $1 enters" anybody_inside
        [ "$(inside | wc -l)" -eq 1 ] || fail "$case: $(inside) are inside at once"
        name=$(inside)
        let_go "${name%.in}"
        count=$((count + 1))
    done
    [ ! -e overlap ] || fail "$case: $(cat overlap) entered while another was inside: $(cat entered)"
    [ "$(sort -u -k 1,1 entered | wc -l)" -eq $(($1 + 1)) ] || fail "$case: not each has entered: $(cat entered)"
    sort -n -u -k 2,2 entered | cmp -s - entered || fail "$case: the fences do not grow: $(cat entered)"
}

# exchange MOMENT killed|continued: h5 dies with a and b, h4 stops at the moment; first and second wait at h1 and h2,
# third at h4.
exchange() {
    case="h4 stops $1 and is $2"
    rm -rf inside overlap entered stop_at
    free_lock_is_served "a free lock is not given"
    enter doomed 5
    wait_until 20 "$case: the holder enters" granted doomed
    enter first 1
    wait_until 20 "$case: the first waits" waits_for a 1 1
    enter second 2
    wait_until 20 "$case: the second waits" waits_for a 2 1
    enter third 4
    wait_until 20 "$case: the third waits" waits_for a 3 1
    echo "$1" >stop_at
    lived_at=$(now_ms)
    local h5_lived_at=$lived_at
    kill_machine 5 doomed
    wait "${asker[doomed]}" 2>/dev/null
    rm -r doomed.in inside
    free_lock_is_served "a free lock is not given while h5 is missed"
    wait_until 30 "$case: h4 stops" has_stopped 4
    rm stop_at
    if [ "$2" = killed ]; then
        kill_machine 4
        kill -KILL "${asker[third]}"
        wait "${asker[third]}" 2>/dev/null
    else
        kill -CONT "${process[4]}"
    fi
    wait_until 40 "$case: a waiter enters" anybody_inside
    # Without the report of h4 the view is never complete: the next one lacks h4, too, and waits for its lease.
    [ "$1,$2" = before-report,killed ] || lived_at=$h5_lived_at
    [ $(($(now_ms) - lived_at)) -ge 6000 ] || fail "$case: a waiter enters before the lease of a dead host has ended"
    free_lock_is_served "a free lock is not given after the change"
    if [ "$2" = killed ]; then serve 2; else serve 3; fi
    running "$(cat steady.in)" || fail "$case: a program was stopped that has nothing to do with it: $(cat steady.err)"
    [ "$2" != killed ] || start 4
    start 5
    wait_until 30 "$case: all hosts take part again" all_take_part
}

agree $'lease = "6s"\ngrace = "500ms"' # on a busy machine nobody may lose a lease that is only renewed late
configure 5
rm -f stop_at # of a run that was killed
within[4]='env ALLOT_STOP_AT=stop_at'
start_all
hold steady 1 --grace 500ms --lock elsewhere
for moment in before-report after-report before-completion; do
    exchange $moment "${fate:-killed}"
done
let_go steady
exit 0
