# For tests of pages: runs the commands that a page names. The output of the last one stays in $found.
found=$PWD/found.txt

# expect_code WANTED COMMAND: runs allot.
expect_code() {
    local code=0
    # shellcheck disable=SC2086
    "$ALLOT" $2 >"$found" 2>&1 || code=$?
    [ "$code" -eq "$1" ] || { echo "allot $2: exit code $code, wanted $1"; tail -n 5 "$found"; exit 1; }
}
