# Every test that docs/promises.md and SECURITY.md name exists, and every promise names a command or a test. The commands of
# the former, in the source folder, hold, and are violated without each rule in the brackets after them. Those of what is not promised are violated.
set -eu
. "$ALLOT_SOURCE_DIR/tests/support/page.sh"
here=$PWD
cd "$ALLOT_SOURCE_DIR"
page=docs/promises.md
fail() {
    echo "FAILED: $*"
    exit 1
}

# The names of tests, as tests/CMakeLists.txt makes them.
for script in tests/*.sh tests/cluster/*.sh tests/soak/*.sh; do
    name=${script#tests/}
    [ "$name" != "${name#*/}" ] || name=script/$name
    name=${name%.sh}
    echo "${name/\//.}"
done | grep -v '\.lib$' >"$here/known.txt"
find tests -name '*_test.cpp' -exec grep -hoE '^(TEST|TEST_F|TEST_P|RC_GTEST_PROP)\([A-Za-z_0-9]+, [A-Za-z_0-9]+' {} + |
    sed 's/.*(//; s/, /./' >>"$here/known.txt"

# The rows of all tables: number, kind (P or N), commands, tests.
awk -F' *[|] *' -v OFS='|' '$2 ~ /^[PN][0-9]+$/ { print substr($2, 2), substr($2, 1, 1), $(NF - 2), $(NF - 1) }' "$page" >"$here/rows.txt"

names_of() { grep -oE '`[^`]*`' | tr -d '`'; }
is_known() { grep -qxF -- "$1" "$here/known.txt" || grep -qE "^$1\\." "$here/known.txt"; }
{
    cut -d'|' -f 4 "$here/rows.txt" | names_of
    names_of <"$page" | grep -E '^(script|cluster|soak)\.[a-z_]+$'
    names_of <SECURITY.md | grep -E '^((script|cluster|soak)\.[a-z_]+|[A-Z][A-Za-z]+(\.[A-Za-z_]+)?)$'
} | sort -u >"$here/named.txt"
while read -r name; do is_known "$name" || fail "there is no test $name"; done <"$here/named.txt"

promises=0
commands=0
while IFS='|' read -r number kind cell tests; do
    if [ "$kind" = P ]; then
        promises=$((promises + 1))
        [ "$number" -eq "$promises" ] || fail "P$number follows P$((promises - 1))"
        [ -n "$cell$tests" ] || fail "nothing shows P$number"
    fi
    while read -r item; do
        [ -n "$item" ] || continue
        command=$(names_of <<<"$item" | head -n 1)
        wanted=0
        [ "$kind" = P ] || [ "${command%% *}" = play ] || wanted=1
        expect_code "$wanted" "$command"
        while read -r rule; do
            [ -z "$rule" ] || expect_code 1 "$command --without $rule"
        done < <(names_of <<<"$item" | tail -n +2)
        commands=$((commands + 1))
    done < <(grep -oE '`(check|play) [^`]*`( \([^)]*\))?' <<<"$cell")
    grep -qE '`(check|play) ' <<<"$cell" || [[ $cell != *'`'* ]] || fail "not a command that is run: $cell"
done <"$here/rows.txt"
echo "$promises promises, $commands commands, $(wc -l <"$here/named.txt") tests"
[ "$promises" -eq 57 ] || fail "there are $promises promises, not 57"
[ "$commands" -eq 48 ] || fail "there are $commands commands, not 48"
