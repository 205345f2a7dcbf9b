# Random runs of the broker, with late, vanishing and fickle clients; and repairs that are switched off are found.
set -euo pipefail
for protocol in strong-weak ordered-chain; do "$ALLOT" swarm $protocol --runs 100000; done
for repair in search consent rank-holders match-requests pass-token; do
    echo "without $repair"
    code=0
    "$ALLOT" swarm strong-weak --runs 50000 --without $repair --out $repair.txt >/dev/null || code=$?
    [ $code -eq 1 ] || { echo "not found: exit code $code"; exit 1; }
    "$ALLOT" play $repair.txt >/dev/null
done
