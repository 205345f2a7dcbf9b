# For tests of bad input: exit code 2, nothing on standard output, and one line that names what was wrong.
set -u
passed=0
failed=0

# refused EXPECTED_TEXT ARGUMENTS...
refused() {
    local expected=$1
    shift
    timeout 60 "$ALLOT" "$@" >out.txt 2>err.txt </dev/null
    local code=$?
    if [ $code -eq 2 ] && [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -qF -- "$expected" err.txt; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "allot $*: exit code $code, wanted 2 and one line with: $expected"
        cat out.txt err.txt
    fi
}

# scenario LINES...: writes scenario.txt
scenario() { printf '%s\n' "$@" >scenario.txt; }
