# The pages in a browser: stepping, pointing, folding, following, 20,000 steps, and no request to anywhere. It needs
# chromium and npm's packages.
set -u
fail() {
    echo "FAILED: $*"
    exit 1
}
chromium=$(command -v chromium) || { echo "skipped: chromium is not installed (packages of group page)"; exit 77; }
"$ALLOT_SOURCE_DIR/tools/page-modules" || { echo "skipped: npm's packages cannot be had"; exit 77; }

"$ALLOT" check raymond --sites 3 --permits 2 --crashes 2 --threads 1 --html stuck.html >/dev/null
[ $? -eq 1 ] && [ -s stuck.html ] || fail "check --html"
"$ALLOT" sim counters --sites 4 --resources 3 --time 200ms --log log.txt >/dev/null || fail "sim --log"
"$ALLOT" play --quiet log.txt --html short.html >/dev/null || fail "play --html"
"$ALLOT" view "$ALLOT_SOURCE_DIR/scenarios/semaphore/host-permits-without-bound-all-seats.txt" --svg down.svg --html scenario.html &&
    "$ALLOT" view stuck.html --html no.html 2>/dev/null && fail "a page is no scenario"
"$ALLOT" view "$ALLOT_SOURCE_DIR/scenarios/semaphore/host-permits-without-bound-all-seats.txt" --svg right.svg --time right || fail "view --time right"
"$ALLOT" sim raymond --sites 12 --permits 3 --time 1s --log long.txt >/dev/null || fail "a long log"
lines=$(awk '!/^ *(#|expect|protocol)/ { if (++n == 20000) { print NR; exit } }' long.txt)
"$ALLOT" view long.txt --lines "1-$lines" --html long.html || fail "20,000 steps"
"$ALLOT" check raymond --sites 2 --permits 1 --crashes 1 --worlds graph.html >/dev/null
[ -s graph.html ] || fail "check --worlds"

CHROMIUM=$chromium node "$ALLOT_SOURCE_DIR/page/tests/browser.mjs" "$PWD" || fail "the pages in chromium"
