# The larger instances of the pool on a tree: section 7 of its specification, with the longest waits.
set -euo pipefail
check() {
    local waits=$1
    shift
    echo "allot check tree-pool $*"
    "$ALLOT" check tree-pool "$@" --requests any --memory 16G --waits >found.txt || { cat found.txt; exit 1; }
    tail -n 1 found.txt
    [ "$waits" = - ] || grep "meanwhile: $waits\.$" found.txt
}
check '6, 12, 12' --sites 3 --tree star --units 2 --max-request 2 --modulus 2
check - --sites 3 --tree chain --units 2 --max-request 2 --modulus 2
check '3, 3, 5, 5' --sites 4 --tree parents:-1,0,0,1 --units 1 --modulus 2
check '1, 3, 3' --sites 3 --tree star --units 1 --modulus 3 --copies 2 --taint off --backoff 0
check '7, 18, 18' --sites 3 --tree star --units 3 --max-request 2 --stage priority
check '9, 18, 18' --sites 3 --tree star --units 3 --max-request 3 --stage priority
check '20, 14, 14, 20' --sites 4 --tree chain --units 2 --max-request 2 --stage priority
# Whatever gets lost: never more than l units, and no reset.
check - --sites 3 --tree star --units 1 --modulus 3 --lose any --patience 0 --backoff 0 \
    --property at-most-l --property no-surplus --property no-reset
