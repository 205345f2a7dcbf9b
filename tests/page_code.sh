# The code of the pages: what is committed is what its source gives, it has types and keeps the rules, and its unit tests
# pass. All of that needs npm's packages.
set -u
fail() {
    echo "FAILED: $*"
    exit 1
}
"$ALLOT_SOURCE_DIR/tools/page-modules" || { echo "skipped: the pages cannot be built here"; exit 77; }
here=$PWD
cd "$ALLOT_SOURCE_DIR/page"

node build.mjs "$here/dist" || fail "the pages do not build"
for page in dist/*.html; do
    cmp "$page" "$here/$page" || fail "$page is not what its source gives; run npm run build in page/"
done
[ "$(ls dist)" = "$(ls "$here/dist")" ] || fail "page/dist has other files: $(ls dist)"
# A page is small, and loads nothing.
for page in dist/*.html; do
    [ "$(stat -c %s "$page")" -lt 60000 ] || fail "$page has grown beyond 60 kB"
    grep -q "default-src 'none'" "$page" || fail "$page may load something"
done

node node_modules/eslint/bin/eslint.js . || fail "eslint"
node node_modules/typescript/bin/tsc --noEmit || fail "types"
rm -rf "$here/tests"
node build.mjs --tests "$here/tests" && node --test --test-reporter=tap "$here/tests" >"$here/tests.txt" || { cat "$here/tests.txt"; fail "unit tests"; }
grep -q '^# pass 1[0-9]$' "$here/tests.txt" || fail "not all unit tests ran"
