# Random walks of locks by counters: whatever may be drawn, then ten million steps with everything on; and each
# repair that is switched off is found.
set -euo pipefail
"$ALLOT" swarm counters --runs 100000
"$ALLOT" swarm counters --runs 60000 --seed 2 --sites 5 --resources 4 --loans 2 --improve all --requests any --cancel
for repair in clear-lender store-at-end; do
    echo "without $repair"
    code=0
    "$ALLOT" swarm counters --runs 100000 --without $repair --out $repair.txt >/dev/null || code=$?
    [ $code -eq 1 ] || { echo "not found: exit code $code"; exit 1; }
    "$ALLOT" play $repair.txt >/dev/null
done
