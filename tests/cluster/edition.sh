# Hosts that have agreed on the edition before agree on the next one when all of them know it, and not before. Then a
# host that does not know it cannot take part: cluster.versions, and with the real version before soak.upgrade.
engine=file
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

edition_of() { head -n 1 "$1" 2>/dev/null | tr -d '\0' | cut -d' ' -f3; }
has_edition() { [ "$(edition_of "$1")" = "$2" ]; }

configure 3
newest=$(edition_of register)
"$EARLIER_EDITION" register || fail "the register has no edition"
before=$(edition_of register)
[ "$before" -eq $((newest - 1)) ] || fail "the register has edition $before, and not $((newest - 1))"

start 1
start 2
for i in 1 2; do run $i --lock "of-h$i" --timeout 30s -- true || fail "h$i does not serve"; done
sleep 1 # they have had the time to agree on more
has_edition register "$before" || fail "the hosts have not waited for h3"
has_edition h1/settings "$before" && has_edition h2/settings "$before" || fail "they have written $(edition_of h1/settings)"
has_edition h1/host "$before" || fail "h1 keeps $(edition_of h1/host)"

crowd 4 40 8 ./h1.sock ./h2.sock
crowd_is_there 40
start 3
wait_until 20 "the hosts agree on edition $newest" has_edition register "$newest"
for i in 1 2 3; do
    wait_until 20 "h$i knows it" has_edition "h$i/settings" "$newest"
    grep -q " info: all hosts know edition $newest and write it from now on" "h$i.log" || [ $i = 3 ] ||
        fail "h$i does not say so"
done
crowd_ends
one_token_each lock{0..11}
