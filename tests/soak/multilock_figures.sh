# Every row of the specification's table on several locks; and the page about it says what its commands print.
set -euo pipefail
ALLOT_FULL_TABLE=1 "$(dirname "$ALLOT")/allot_tests" --gtest_filter='*MultilockTable*' | tee table.txt
grep -q 'PASSED  . 13 tests' table.txt
bash "$ALLOT_SOURCE_DIR/tests/readme.sh" "$ALLOT_SOURCE_DIR/docs/multilock-evaluation.md" 4
for name in use-rate waiting-by-load waiting-by-size; do grep -q '</svg>' figures/$name.svg; done
