# Every row of the specification's table on several locks, and the pictures with all seeds.
set -euo pipefail
ALLOT_FULL_TABLE=1 "$(dirname "$ALLOT")/allot_tests" --gtest_filter='*MultilockTable*' | tee table.txt
grep -q 'PASSED  . 13 tests' table.txt
"$ALLOT" figures use-rate waiting --out figures
for name in use-rate waiting-by-load waiting-by-size; do grep -q '</svg>' figures/$name.svg; done
