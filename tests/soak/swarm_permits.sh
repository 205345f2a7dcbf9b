# A hundred thousand random runs of the crash-tolerant semaphore, with every fault it is meant to survive; and
# each repair that is switched off is found.
set -euo pipefail
"$ALLOT" swarm permits --runs 100000
"$ALLOT" swarm permits --runs 50000 --seed 2 --membership open --anchor none --restarts 3 --crashes 3 --leaves 2 --sites 4 --founders 2
for repair in apply-crash relay advance-clock join-barrier; do
    echo "without $repair"
    code=0
    "$ALLOT" swarm permits --runs 100000 --without $repair --out $repair.txt >/dev/null || code=$?
    [ $code -eq 1 ] || { echo "not found: exit code $code"; exit 1; }
    "$ALLOT" play $repair.txt >/dev/null
done
