# In the mode `sticky` a resource stays with its owner until that gives it back: though the program dies, the host, or all
# hosts at once. The owner gives it back by name; an operator frees it.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

release() { timeout 50 "$ALLOT" release --socket "./h$1.sock" "${@:2}"; }
shows() { "$ALLOT" status --socket "./h$1.sock" | grep -q "$2"; }
# kept_for OWNER RESOURCE HOST...: nobody gets it at these hosts, and they show for whom it is kept.
kept_for() {
    local owner=$1 what=$2 i
    shift 2
    for i in "$@"; do
        wait_until 30 "h$i shows that $what is kept" shows "$i" "$what .*kept, .*$owner"
        run "$i" --lock "$what" --timeout 200ms -- touch wrong 2>/dev/null
        [ $? -eq 121 ] || fail "h$i gets $what, which is kept for $owner"
    done
}
die() {
    kill -KILL "${asker[$1]}" "$(cat "$1.in")"
    wait "${asker[$1]}" 2>/dev/null
}
fence_of() { run "$1" --lock "$2" --timeout 20s -- sh -c 'echo $ALLOT_FENCE'; }

begin_again() { timeout 30 "$ALLOT" cluster init --above 100000 --config "h$1.toml" "${@:2}" >out 2>&1; }

for engine in file hosts; do
    agree $'lease = "3s"\ngrace = "500ms"'
    modes=$'[[bootstrap.mode]]\nnames = ["rack*", "builds"]\nmode = "sticky"'
    configure 3
    start_all

    # A program that ends well gives it back.
    first=$(fence_of 1 rack1)
    second=$(fence_of 2 rack1)
    [ "$second" -gt "$first" ] || fail "the fence of rack1 is $second after $first"

    # Also if its daemon is away when it ends.
    hold holder 1 --lock rack1
    kill_host 1
    echo >holder.fifo
    wait_until 20 "the command ends" not_running "$(cat holder.in)"
    start 1
    wait "${asker[holder]}" || fail "holder ended with exit code $?: $(cat holder.err)"
    run 2 --lock rack1 --timeout 20s -- true || fail "rack1 is not free, though its command ended well"

    # A command that fails has not finished what it began.
    run 1 --lock rack1 --timeout 20s -- sh -c 'exit 3' 2>why
    [ $? -eq 3 ] || fail "the exit code of the command is lost"
    contains 'the command ended with 3: rack1 stays with its owner; `allot release rack1` gives it back' why || fail "it says: $(cat why)"
    wait_until 20 "rack1 is kept" shows 2 'rack1 .*kept, sticky .*root@h1'
    release 1 rack1 >/dev/null || fail "the owner cannot give it back"
    run 2 --lock rack1 --timeout 20s -- true || fail "rack1 is not free"

    # The program dies, and its owner goes on with another one.
    hold holder 1 --lock rack1
    die holder
    wait_until 20 "rack1 is kept" shows 2 'rack1 .*kept, sticky .*root@h1'
    hold holder 1 --lock rack1
    shows 2 'rack1 .*holds, sticky' || fail "rack1 is not taken up: $("$ALLOT" status --socket ./h2.sock)"
    let_go holder
    run 2 --lock rack1 --timeout 20s -- true || fail "rack1 is not free"

    # A program of the owner that waits already goes on with it.
    hold holder 1 --lock rack1
    ask heir 1 --lock rack1
    wait_until 10 "the heir waits" waits_for rack1 1 1
    die holder
    wait_until 20 "the heir gets what its owner has" granted heir
    let_go heir

    # The program dies.
    hold holder 1 --lock rack1
    shows 2 'rack1 .*holds, sticky' || fail "rack1 is not shown as sticky: $("$ALLOT" status --socket ./h2.sock)"
    die holder
    kept_for root@h1 rack1 2 3
    release 2 rack1 2>why && fail "root of h2 gives back what belongs to root of h1"
    contains 'rack1: root has left nothing of it behind on this host' why || fail "it says: $(cat why)"
    ask next 3 --lock rack1
    wait_until 20 "next waits" waits_for rack1 1 3
    release 1 rack1 >/dev/null || fail "the owner cannot give rack1 back"
    wait_until 20 "next is served" granted next
    let_go next

    # Its machine dies, and comes back.
    hold holder 1 --lock rack1,rack2
    kill_machine 1 holder
    kept_for root@h1 rack1 2 3
    release 3 --force rack2 >/dev/null || fail "an operator cannot free rack2"
    run 2 --lock rack1,rack2 --timeout 20s -- true || fail "rack1 and rack2 were taken together, and are not free"
    start 1

    # A daemon that is restarted keeps its program and the lock.
    hold holder 1 --lock rack1
    kill_host 1
    start 1
    wait_until 20 "h1 takes part" shows 2 'rack1 .*holds, sticky .*h1'
    run 2 --lock rack1 --timeout 200ms -- touch wrong 2>/dev/null
    let_go holder
    run 2 --lock rack1 --timeout 20s -- true || fail "rack1 is not free after its holder ended"

    # An operator ends a command whose `allot run` is gone.
    hold holder 2 --lock rack1
    kill -KILL "${asker[holder]}"
    release 1 --force rack1 >/dev/null || fail "an operator cannot end a command without its wrapper"
    # Perhaps nobody has waited for the command, so it may be a zombie.
    [[ "$(ps -o stat= -p "$(cat holder.in)")" =~ ^(Z|$) ]] || fail "the command runs beside the next holder"

    # All machines die at once.
    hold holder 2 --lock rack1
    hold units 2 --permit builds=2
    for i in 1 2 3; do kill_machine $i; done
    die holder
    die units
    start_all
    kept_for root@h2 rack1 1 3
    run 3 --permit builds --timeout 200ms -- touch wrong 2>/dev/null
    [ $? -eq 121 ] || fail "h3 gets a unit of builds; both are kept"
    release 2 rack1 >/dev/null && release 1 --force builds >/dev/null || fail "what was kept cannot be freed"
    run 3 --lock rack1 --timeout 20s -- true || fail "rack1 is not free in the end"
    run 3 --permit builds=2 --timeout 20s -- true || fail "builds is not free in the end"
    [ ! -e wrong ] || fail "somebody got what was kept for another"
    run 1 --lock rack1,db -- true 2>why
    contains 'some of these are sticky, others are not; ask for them apart' why || fail "it says: $(cat why)"

    # A register that begins again would forget what it keeps: only by order.
    run 1 --lock rack1 --timeout 20s -- false 2>/dev/null
    run 2 --permit builds=2 --timeout 20s -- false 2>/dev/null
    wait_until 20 "builds is kept" shows 3 'builds .*kept, sticky .*root@h2'
    for i in 3 2 1; do stop $i; done
    begin_again 1 && fail "rack1 is forgotten without a word: $(cat out)"
    [ "$(wc -l <out)" -eq 1 ] && contains 'the register keeps what is sticky: rack1 of root@h1, builds of root@h2; start the hosts again and give it back first, by `allot release NAME` on the host of its owner, or write --forget-sticky' out ||
        fail "it says: $(cat out)"
    start_all
    kept_for root@h1 rack1 2 3
    release 1 rack1 >/dev/null || fail "the owner cannot give rack1 back after all"
    for i in 3 2 1; do stop $i; done
    begin_again 1 --forget-sticky || fail "init does not forget: $(cat out)"
    contains 'forgotten, and free now: builds of root@h2' out || fail "it says: $(cat out)"
    for i in 2 3; do [ "$engine" = file ] || begin_again $i --forget-sticky || fail "h$i: $(cat out)"; done
    start_all
    run 3 --permit builds=2 --timeout 20s -- true || fail "builds is not free, though the register began again"
    for i in 1 2 3; do kill_machine $i; done
done
exit 0
