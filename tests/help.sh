# Help: each protocol shows its own flags with their meanings, `help` is another way to ask, and tables fit a terminal.
set -euo pipefail
fail() {
    echo "FAILED: $*"
    exit 1
}

# A protocol shows its own flags, and no other's.
for command in check sim swarm; do
    "$ALLOT" $command permits --help >permits.txt
    "$ALLOT" $command --help >none.txt
    grep -q -- '--start-up .*off: at the start the founders know' permits.txt || fail "$command permits: no meaning of --start-up"
    grep -q -- '--without ' permits.txt || fail "$command permits: no --without"
    for flag in --graph --tree --units --wants --bounds --policy; do
        if grep -q -- "$flag " permits.txt; then fail "$command permits shows $flag, which it does not have"; fi
    done
    for flag in --start-up --sites --graph --without; do
        if grep -q -- "  $flag " none.txt; then fail "$command without a protocol shows $flag"; fi
    done
    grep -q "allot $command PROTOCOL --help" none.txt || fail "$command does not say how to see the flags of a protocol"
    "$ALLOT" $command raymond --help >raymond.txt
    if grep -q -- '--without ' raymond.txt; then fail "$command raymond shows --without, but has no repairs"; fi
done

# Every flag of every protocol has a meaning, in the help and on its page; each says where it comes from.
"$ALLOT" protocols | awk 'NR > 2 && /^[a-z]/ && !/^Flags/ { print $1 }' >names.txt
[ "$(wc -l <names.txt)" -eq "$(grep -c '^[^#]' "$ALLOT_SOURCE_DIR/src/protocols/registry.txt")" ] || fail "not all protocols are listed"
while read -r name; do
    "$ALLOT" protocols "$name" >page.txt
    "$ALLOT" check "$name" --help >help.txt
    for part in 'Problem: ' 'Source: ' 'Links: ' 'flag  ' 'property  '; do
        grep -q "^$part" page.txt || fail "the page of $name lacks $part"
    done
    awk 'length > 100 { print; bad = 1 } END { exit bad }' page.txt || fail "the page of $name is too wide"
    grep -o '^--[a-z][a-z-]*' page.txt | while read -r flag; do
        grep -qE -- "^  $flag( |\$)" help.txt || fail "check $name --help lacks $flag"
    done
done <names.txt
"$ALLOT" protocols raymond --json >raymond.json
grep -q '"meanings":{"sites":"number of sites",' raymond.json
"$ALLOT" protocols permits >page.txt
grep -qE '^relay +on +erratum 2: a site that is told of a crash tells the others' page.txt

# The same help in two ways.
for words in '' check 'check raymond' sim swarm play errata figures feasible protocols new run; do
    # shellcheck disable=SC2086
    diff <("$ALLOT" help $words) <("$ALLOT" $words --help) || fail "help $words"
done
"$ALLOT" --help >help.txt
grep -q '^  help ' help.txt || fail "help is not listed"

# Tables fit a terminal.
for words in protocols errata figures 'feasible --graph path:3 --bounds 0,1;1,2;0,2' 'check strong-weak --clients 1' \
    'swarm permits --runs 20' --help 'check permits --help' 'sim permits --help' 'swarm permits --help' 'play --help' \
    'figures --help' 'feasible --help' 'errata --help' 'protocols --help' 'new --help' 'run --help' 'up --help' \
    'node --help' 'status --help' 'cert --help' 'cluster --help' 'log --help'; do
    # shellcheck disable=SC2086
    "$ALLOT" $words >table.txt
    awk 'length > 100 { print; bad = 1 } END { exit bad }' table.txt || fail "allot $words is too wide"
done

# Prose is broken once: a line of a footer ends a sentence, or has no room for the next word.
check_footer() {
    awk -v width="$2" '/^$/ { footer = 0 }
        footer && /^[^ ]/ && !/^Usage: / && last !~ /[.:)]$|^Example: / && length(last) + 1 + length($1) <= width { print last; bad = 1 }
        /^[^ ]/ && !/^Example: / && length > width { print; bad = 1 }
        { footer = /^[^ ]/; last = $0 } END { exit bad }' "$1" || fail "$command --help at $2 columns"
}
for command in run up node status cert cluster log release check sim swarm play errata figures feasible new; do
    "$ALLOT" $command --help >page.txt
    check_footer page.txt 100
    script -qec "stty cols 80; '$ALLOT' $command --help" /dev/null </dev/null | tr -d '\r' >page.txt
    check_footer page.txt 80
done

# A property that is not judged says why.
"$ALLOT" check raymond --permits 2 --crashes 2 >judged.txt && fail "raymond survives two crashes"
grep -qx 'Not judged: the search stopped at the first violation; `--property NAME` judges one property alone.' judged.txt

# A simulation in which a site waits forever says so, even if timers go on.
code=0
"$ALLOT" sim tree-pool --crash 1@1s,2@2s --time 5s >stalled.txt || code=$?
[ "$code" = 1 ] || { cat stalled.txt; fail "tree-pool with dead neighbours ends with $code"; }
grep -qx 'stalled: at the end 1 of the sites wait, and nothing will serve them' stalled.txt

# No example is refused. Those of the other commands need a daemon.
allot() {
    code=0
    timeout --preserve-status --signal=INT 1 "$ALLOT" "$@" >out.txt 2>err.txt || code=$?
    [ "$code" -ne 2 ] || fail "an example is refused: allot $*: $(cat err.txt)"
}
rm -rf examples && mkdir examples && cd examples
examples=0
for command in check play sim swarm cert errata feasible figures new protocols; do
    "$ALLOT" $command --help | sed -n 's/^\(Example:\| \) \(allot .*\)/\2/p' | sed 's/   *(.*//; s/, which.*//' >examples.txt
    [ -s examples.txt ] || fail "$command --help has no example"
    while read -r example; do
        eval "$example"
        examples=$((examples + 1))
    done <examples.txt
done
[ "$examples" -ge 16 ] || fail "only $examples examples were found"
