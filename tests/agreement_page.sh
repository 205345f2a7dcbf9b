# Every command of docs/agreement.md prints what the page says.
set -eu
bash "$ALLOT_SOURCE_DIR/tests/readme.sh" "$ALLOT_SOURCE_DIR/docs/agreement.md" 1
