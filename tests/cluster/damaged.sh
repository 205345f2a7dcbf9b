# damaged.sh [TRIALS [SEED]]: the machine of h3 loses its power, and a file of its state folder comes back with a wrong bit, cut
# off, empty, not at all, or as it was earlier. The daemon refuses to start and names the file, or goes on unharmed:
# nobody else gets what h1 holds, and fences only grow. With the file as it was, a host that was refused serves again.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

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
# damage FILE KIND
damage() {
    local file=$1 size at
    size=$(stat -c %s "$file")
    case $2 in
        bit)
            at=$(((RANDOM * 32768 + RANDOM) % size))
            did="bit $((RANDOM % 8)) of byte $at of $file ($size bytes) is wrong"
            python3 - "$file" "$at" "$((RANDOM % 8))" <<'END'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(int(sys.argv[2]))
    file.write(bytes([byte ^ 1 << int(sys.argv[3])]))
END
            ;;
        cut) did="$file ends after $((size / 2)) of $size bytes"; truncate -s $((size / 2)) "$file" ;;
        empty) did="$file is empty"; : >"$file" ;;
        gone) did="$file is gone"; rm "$file" ;;
        earlier) did="$file is as it was earlier"; [ ! -e "earlier/${file#h3/}" ] || cp "earlier/${file#h3/}" "$file" ;;
    esac
}
has_decided() { not_running "${process[3]}" || "$ALLOT" status --socket ./h3.sock >/dev/null 2>&1; }
names_the_file() { tail -n +$((said + 1)) h3.log | grep -qF "${1#h3/}"; }

declare -A outcomes=()
kinds=(bit cut empty gone earlier)
rm -rf earlier
cp -r h3 earlier
fence_at 3 || fail "h3 does not serve at the beginning"
for ((trial = 0; trial < trials; trial++)); do
    kill_machine 3
    rm -rf before
    cp -r h3 before
    files=()
    for one in h3/*; do [ ! -s "$one" ] || [ ! -f "$one" ] || files+=("$one"); done
    file=${files[trial % ${#files[@]}]}
    damage "$file" "${kinds[$((trial % ${#kinds[@]}))]}"
    said=$(wc -l <h3.log)
    "$ALLOT" node --config h3.toml 2>>h3.log &
    process[3]=$!
    started+=($!)
    wait_until 30 "h3 starts or is refused: $did" has_decided
    if not_running "${process[3]}"; then
        wait "${process[3]}"
        code=$?
        [ $code -eq 2 ] || [ $code -eq 1 ] || fail "the daemon ends with $code: $did"
        names_the_file "$file" || fail "it does not name the file: $did: $(tail -n 1 h3.log)"
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
        rm -rf h3
        mv before h3
        rm -f h3/*.sock
        start 3
        fence_at 3 || fail "with its former folder h3 is not served after: $did"
    fi
done
for outcome in "${!outcomes[@]}"; do echo "$outcome: ${outcomes[$outcome]} of $trials"; done
let_go keeper
exit 0
