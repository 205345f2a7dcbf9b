# Links between hosts are cut, held back, delayed and overtaken by later ones, again and again, under load: nothing is
# lost and nothing happens twice, for programs and for those who wait meanwhile.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

for pair in 1,2 1,3 1,4 2,3 2,4 3,4; do proxied "${pair%,*}" "${pair#*,}"; done
configure 4
start_all
crowd "${CROWD_SECONDS:-4}" 80 6
crowd_is_there 80

# How often the proxies were connected to, as each said last.
links_made() {
    local pair sum=0
    for pair in "${!proxy_in[@]}"; do
        [[ $(tail -n 1 "proxy${pair/,/-}.out") =~ ^ok\ .*\ made=([0-9]+)\  ]] || fail "a proxy does not answer"
        sum=$((sum + BASH_REMATCH[1]))
    done
    echo $sum
}
all_have_answered() { [ "$(grep -l '^ok ' proxy*.out | wc -l)" -eq 6 ]; }
fault status
wait_until 10 "the proxies answer" all_have_answered
made_before=$(links_made)

RANDOM=7
while running $crowd_process; do
    pairs=("${!proxy_in[@]}")
    pair=${pairs[RANDOM % 6]}
    faults=(cut refuse blackhole reorder 'delay 30')
    chosen=${faults[RANDOM % 5]}
    fault "$chosen" "$pair"
    # Some stay for a while, some are healed before anybody notices.
    sleep 0.$((RANDOM % 3))$((RANDOM % 10))
    [ "$chosen" != refuse ] || fault cut "$pair"
    fault heal "$pair"
done
crowd_ends
for pair in "${!proxy_in[@]}"; do
    answers=$(tail -n 1 "proxy${pair/,/-}.out")
    echo "h${pair/,/ to h}: ${answers#ok }"
done
[ "$(links_made)" -gt "$made_before" ] || fail "no link was made again: the crowd has met no fault"
one_token_each lock{0..11}
