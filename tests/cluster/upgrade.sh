# Five hosts are upgraded one after another, under load: nothing is lost, and nobody waits for 15 s. $ALLOT_BEFORE is
# the allot that they have at first; without it, it is the same one. Each has a job that runs through all of it.
engine=${engine:-hosts}
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

after=$ALLOT
before=${ALLOT_BEFORE:-$ALLOT}
edition_of() { head -n 1 "h$1/settings" 2>/dev/null | tr -d '\0' | cut -d' ' -f3; }
has_settings() { [ -n "$(edition_of "$1")" ]; }
has_other_edition() { [ "$(edition_of "$1")" != "$2" ]; }

ALLOT=$before
configure 5
start_all
wait_until 20 "h1 knows the settings" has_settings 1
first=$(edition_of 1)
for i in 1 2 3 4 5; do
    "$before" run --socket "./h$i.sock" --lock "job$i" --timeout 30s -- \
        sh -c "echo \$ALLOT_FENCE >job$i.fence; until [ -e done ]; do sleep 0.1; done" 2>"job$i.err" &
    job[i]=$!
    wait_until 40 "job $i begins" test -s "job$i.fence"
done
crowd 300 40 8
crowd_is_there 40

ALLOT=$after
for i in 1 2 3 4 5; do
    stop "$i"
    start "$i"
    wait_until 20 "h$i is a member" has_member "$i" "h$i"
    if [ "$i" -lt 5 ] && [ "$before" != "$after" ]; then
        [ "$(edition_of "$i")" = "$first" ] || fail "h$i writes an edition that h5 does not know"
        "$ALLOT" status --socket "./h$i.sock" | grep -q '^host .* edition' || fail "the status shows no editions"
        "$before" status --socket "./h$i.sock" >/dev/null || fail "an earlier program is not served"
        "$after" status --socket ./h5.sock >/dev/null || fail "a later program is not served"
        "$after" cluster show --socket ./h5.sock >/dev/null || fail "a later program does not show the cluster"
    fi
done
if [ "$before" != "$after" ]; then
    wait_until 20 "the hosts agree on the next edition" has_other_edition 1 "$first"
    echo "edition $first, then $(edition_of 1)"
    stop 5
    ! timeout 20 "$before" node --config h5.toml 2>early.txt || fail "an earlier allot starts after the upgrade"
    grep -q 'a later allot wrote it' early.txt || fail "it does not say why: $(cat early.txt)"
    start 5
fi
crowd_stops
[ "$(longest_wait)" -le 15000 ] || fail "somebody has waited for $(longest_wait) ms"
touch done
for i in 1 2 3 4 5; do
    wait "${job[i]}" || fail "job $i: $(cat "job$i.err")"
    [ ! -s "job$i.err" ] || fail "job $i has heard of it: $(cat "job$i.err")"
done
one_token_each lock{0..11}
