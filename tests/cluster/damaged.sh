# damaged.sh [TRIALS [SEED]]: the machine of h3 loses its power, and a file of its state folder comes back with a wrong bit, cut
# off, empty, not at all, or as it was earlier. The daemon refuses to start and names the file, or goes on unharmed:
# nobody else gets what h1 holds, and fences only grow. With the file as it was, a host that was refused serves again.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
. "$ALLOT_SOURCE_DIR/tests/support/faults.sh"

trials=${1:-5}
RANDOM=${2:-1}
agree $'lease = "4s"\ngrace = "1s"\nsilence = "2s"\nreturn_within = "2s"'
configure 3
start_all
hold keeper 1 --lock held

# fence_at HOST: of a lock that only this test uses, and it grows.
last=0
fence_at() {
    local fence
    fence=$(run "$1" --lock fenced --timeout 30s -- bash -c 'echo $ALLOT_FENCE') || return 1
    [ "$fence" -gt "$last" ] || fail "fence $fence of h$1 follows $last: $did"
    last=$fence
}
declare -A outcomes=()
rm -rf earlier3
cp -r h3 earlier3
fence_at 3 || fail "h3 does not serve at the beginning"
for ((trial = 0; trial < trials; trial++)); do
    kill_machine 3
    keep_folder 3
    files=($(files_of 3))
    file=${files[trial % ${#files[@]}]}
    damage 3 "$file" "${damages[$((trial % ${#damages[@]}))]}"
    start_damaged 3 "$file"
    if not_running "${process[3]}"; then
        outcome=refused
    elif run 3 --lock held --no-wait -- true 2>/dev/null; then
        fail "two hold one lock: $did"
    elif timeout 12 "$ALLOT" run --socket ./h3.sock --lock other --timeout 10s -- true 2>out.txt; then
        fence_at 3 || fail "h3 does not serve the second lock: $did"
        outcome=serves
    elif "$ALLOT" status --socket ./h3.sock | grep -qE '^h3 .*(vote|disk|folder|file)'; then
        outcome='says why it does not serve'
    else
        fail "h3 neither serves nor says why: $did: $(cat out.txt; "$ALLOT" status --socket ./h3.sock)"
    fi
    echo "$outcome: $did"
    outcomes[$outcome]=$((${outcomes[$outcome]:-0} + 1))
    fence_at 1 || fail "h1 is not served: $did"
    running "$(cat keeper.in)" || fail "the command of h1 was stopped: $did"
    if [ "$outcome" != serves ]; then
        not_running "${process[3]}" || kill_machine 3
        put_back 3
        start 3
        fence_at 3 || fail "with its former folder h3 is not served after: $did"
    fi
done
for outcome in "${!outcomes[@]}"; do echo "$outcome: ${outcomes[$outcome]} of $trials"; done
let_go keeper
exit 0
