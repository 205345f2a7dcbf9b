# Runs every `allot` command of the README, or of the page that is given, in order, and compares with the output printed there. The
# page must have as many commands as the second argument says, so that none is lost unseen. Times, sizes and processes differ from
# machine to machine, so those numbers are left out of the comparison. Commands of make must exist.
set -u
readme=${1:-$ALLOT_SOURCE_DIR/README.md}
wanted=${2:-9}
passed=0
failed=0
PATH=$(dirname "$ALLOT"):$PATH

without_measures() { sed -E 's/[0-9.]+ s, [0-9]+ MiB/T s, M MiB/; s|[0-9.]+ s, [0-9,]+ runs/s|T s, R runs/s|; s/by process [0-9]+/by process N/'; }

rm -f block*  # of another page, or of an earlier version of this one
# Blocks of the README: each ```sh block is run; a ```text block right after it is what it must print.
awk -v RS='```' 'NR % 2 == 0 { n++; sub(/\n$/, ""); kind = $0; sub(/\n.*/, "", kind); body = substr($0, length(kind) + 2);
    printf "%s\n", body > ("block" n "." kind); print n, kind > "blocks" }' "$readme"

while read -r n kind; do
    [ "$kind" = sh ] || continue
    if grep -q '^make' "block$n.sh"; then
        while read -r _ target _; do
            if make -s -n -C "$ALLOT_SOURCE_DIR" "$target" >/dev/null 2>&1; then passed=$((passed + 1)); else
                failed=$((failed + 1)); echo "make $target: no such target"; fi
        done < <(grep '^make' "block$n.sh")
        continue
    fi
    bash "block$n.sh" >got.txt 2>&1
    expected=block$((n + 1)).text
    if [ ! -f "$expected" ]; then
        failed=$((failed + 1)); echo "no output follows: $(cat "block$n.sh")"
    elif diff <(without_measures <"$expected") <(without_measures <got.txt) >diff.txt; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1)); echo "$(cat "block$n.sh") prints something else than ${readme##*/} says:"; cat diff.txt
    fi
done <blocks

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -eq "$wanted" ] || { echo "there are $passed commands in ${readme##*/}, not $wanted"; exit 1; }
