# Every scenario of the repository plays as it says.
set -eu
mapfile -t files < <(find "$ALLOT_SOURCE_DIR/scenarios" -name '*.txt' | sort)
[ "${#files[@]}" -ge 3 ]
"$ALLOT" play --quiet "${files[@]}"
