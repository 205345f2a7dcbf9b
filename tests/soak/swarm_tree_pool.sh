# Random runs of the pool on larger trees, with losses, withdrawals, timers that fire too early, and every option.
set -euo pipefail
"$ALLOT" swarm tree-pool --runs 100000
for repair in count-arrivals zero-counts adopt-number create-at-end settle-at-once; do
    echo "without $repair"
    code=0
    "$ALLOT" swarm tree-pool --runs 20000 --without $repair --out $repair.txt >/dev/null || code=$?
    [ $code -eq 1 ] || { echo "not found: exit code $code"; exit 1; }
    "$ALLOT" play $repair.txt >/dev/null
done
