# Every command of docs/agreement.md prints what the page says. Every command of its table holds, and is violated without the rule
# beside it.
set -eu
. "$ALLOT_SOURCE_DIR/tests/support/page.sh"
bash "$ALLOT_SOURCE_DIR/tests/readme.sh" "$ALLOT_SOURCE_DIR/docs/agreement.md" 1

rows=0
while IFS=$'\t' read -r command rule; do
    expect_code 0 "$command"
    expect_code 1 "$command --without $rule"
    rows=$((rows + 1))
done < <(sed -nE 's/^\|[^|]*\| `(check [^`]*)` \| `([a-z-]*)` \|$/\1\t\2/p' "$ALLOT_SOURCE_DIR/docs/agreement.md")
[ "$rows" -eq 24 ] || { echo "there are $rows rows in the table, not 24"; exit 1; }
