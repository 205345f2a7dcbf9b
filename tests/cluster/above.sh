# A majority of the voters has lost its disks. Nothing is granted until an operator says on all of them, with
# `allot cluster init --above N`, that a new register begins above the views of the old one.
engine=hosts
networks=own
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

fence_at() {
    run "$1" --lock a --timeout 30s -- bash -c 'echo $ALLOT_FENCE >fence' || fail "h$1 is not served"
    cat fence
}
init() {
    local i=$1
    shift
    "$ALLOT" cluster init --config "h$i.toml" "$@" >out.txt 2>err.txt
}
refuses() {
    run "$1" --lock a --timeout 2s -- true 2>/dev/null
    [ $? -eq 121 ] || fail "h$1 grants $2"
}

agree
configure 3
start_all
before=$(fence_at 2)
view=$((before >> 40))
for i in 1 2 3; do kill_machine $i; done
rm h1/council h2/council
for i in 1 2 3; do start $i; done
for i in 1 2 3; do refuses $i "though a majority has forgotten what it has promised"; done
init 1 --above 100
[ $? -eq 2 ] && contains 'another daemon runs with this state folder' err.txt || fail "a running host is prepared: $(cat err.txt)"
for i in 1 2 3; do stop $i; done

# The host names the view that must be exceeded.
for flags in "" "--above $((view - 1))"; do
    # shellcheck disable=SC2086
    init 1 $flags
    [ $? -eq 2 ] && contains "this host has worked in view [0-9]*: write --above [0-9]* or more" err.txt ||
        fail "init $flags: $(cat out.txt err.txt)"
done
above=$(sed -n 's/.*write --above \([0-9]*\) .*/\1/p' err.txt)
[ "$above" -ge "$view" ] || fail "$above is less than view $view"

# Two are told and the third is not: they meet its vote of the old register, so nobody forms a new one.
for i in 1 2; do init $i --above "$above" || fail "h$i: $(cat err.txt)"; done
for i in 1 2 3; do start $i; done
for i in 1 2 3; do refuses $i "though h3 was not told"; done
for i in 1 2 3; do stop $i; done

# All are told before the first is started.
for i in 1 2 3; do init $i --above "$above" || fail "h$i: $(cat err.txt)"; done
[ -n "$(echo h3/council.before-*)" ] || fail "the old vote of h3 is not kept"
for i in 1 2 3; do start $i; done
after=$(fence_at 1)
[ $((after >> 40)) -gt "$above" ] || fail "views do not begin above $above: $after"
one_token_each a b c

# The new register is as durable as the old one.
for i in 1 2 3; do kill_machine $i; done
start 2
start 3
[ "$(fence_at 3)" -gt "$after" ] || fail "the fence has not grown"
exit 0
