# allot view: the picture of a scenario as a file, and what it says of scenarios that it cannot draw.
. "$ALLOT_SOURCE_DIR/tests/support/refused.sh"
fail() {
    echo "FAILED: $*"
    exit 1
}

printf 'protocol raymond sites=2 permits=1\nrequest 0\ndeliver 0 -> 1\ndeliver 1 -> 0\nexpect holding 0\n' >run.txt
for time in down right; do
    "$ALLOT" view run.txt --svg $time.svg --time $time || fail "view --time $time"
    grep -q '</svg>' $time.svg || fail "$time.svg is not whole"
done
cmp -s down.svg right.svg && fail "time down and time right make one picture"
"$ALLOT" view run.txt --svg - | cmp - down.svg || fail "--svg - differs from the file"
"$ALLOT" view - --svg again.svg <run.txt && cmp again.svg down.svg || fail "standard input makes another picture"
"$ALLOT" view run.txt --svg part.svg --lines 3-4
grep -q '>request<' part.svg && fail "--lines 3-4 draws line 2"
grep -q '>Reply<' part.svg || fail "--lines 3-4 lacks line 4"

# A counterexample of check, and the log of a simulation.
"$ALLOT" check raymond --permits 1 --sites 2 --crashes 1 --out stuck.txt >/dev/null
"$ALLOT" view stuck.txt --svg stuck.svg || fail "view of a counterexample"
grep -q '>violates deadlock<' stuck.svg || fail "the violation is not marked"
"$ALLOT" sim raymond --sites 3 --permits 1 --time 100ms --log log.txt >/dev/null
"$ALLOT" view log.txt --svg log.svg --lines 1-200 || fail "view of a log"
grep -q 'ms<' log.svg || fail "the picture of a log lacks the times"

# A file that makes no sense gets the line that play prints.
scenario 'protocol raymond' 'requets 0'
"$ALLOT" play --quiet scenario.txt 2>play.txt
refused "$(sed 's/^allot: //' play.txt)" view scenario.txt --svg wrong.svg
[ -e wrong.svg ] && fail "a picture of nothing"
# An expectation that fails is told, and the picture shows the run until there.
scenario 'protocol raymond' 'request 0' 'expect holding 0'
"$ALLOT" view scenario.txt --svg until.svg 2>err.txt
[ $? -eq 1 ] && grep -q 'scenario.txt:3: ' err.txt && grep -q '</svg>' until.svg || fail "a failed expectation"

# A picture has a bound, and the error says how to choose a part of the run.
{ echo 'protocol raymond sites=2 permits=1'; for i in $(seq 1001); do echo 'request 0'; done; } >long.txt
refused '1,001 steps, and this picture shows at most 1,000; choose a part of it with --lines, as in --lines 1-1000' \
    view long.txt --svg long.svg
refused 'no step in the lines 900-1000; write other --lines' view run.txt --svg no.svg --lines 900-1000
refused '--lines 9-3: write the first and the last line of the file, as in 100-250' view run.txt --svg no.svg --lines 9-3
refused '--time up: write down or right' view run.txt --svg no.svg --time up
refused 'nothing.txt: no such file' view nothing.txt --svg no.svg
refused '--svg run.txt: this is the scenario itself; write another file' view run.txt --svg run.txt
refused '--html both: --svg names this file, too; write two files' view run.txt --svg both --html both
refused 'nothing to draw to; write --svg FILE for a picture, or --html FILE for a page' view run.txt
refused '--time right: a page shows time downwards; add --svg FILE' view run.txt --html page.html --time right

# The same as pages, for view, play and check.
"$ALLOT" view run.txt --html page.html || fail "view --html"
"$ALLOT" play --quiet run.txt --html played.html >/dev/null && cmp page.html played.html || fail "play makes another page"
grep -q '"text":"deliver 1 -> 0 Reply"' page.html || fail "the page lacks a step"
"$ALLOT" check raymond --permits 1 --sites 2 --crashes 1 --html cex.html >/dev/null
grep -q '"verdict":{"property":"deadlock"' cex.html || fail "the page lacks the violation"
"$ALLOT" check raymond --permits 1 --sites 2 --html none.html >/dev/null
[ -e none.html ] && fail "a page of no counterexample"
refused '--html page.html: a page shows one scenario; write one file' play run.txt run.txt --html page.html
refused '--html run.txt: this is the scenario itself; write another file' play run.txt --html run.txt

# The graph of a small instance.
"$ALLOT" check raymond --permits 1 --sites 2 --worlds g.dot >/dev/null && grep -q '^digraph' g.dot || fail "check --worlds"
refused '--worlds g.svg: write a name that ends with .html or .dot' check raymond --worlds g.svg
refused '--worlds big.dot: there are more than 1,000 worlds, too many to look at; write a smaller instance' \
    check raymond --sites 4 --crashes 2 --worlds big.dot
refused '--worlds g.dot: the graph begins where the sites boot; leave out --start' \
    check tree-pool --start arbitrary --samples 1 --worlds g.dot

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
