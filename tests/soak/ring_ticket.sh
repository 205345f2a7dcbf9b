# Larger instances of tickets on a ring, all properties, with clients that vanish; and many random runs.
set -euo pipefail
check() {
    echo "allot check ring-ticket $*"
    "$ALLOT" check ring-ticket "$@" --requests any --memory 16G | tail -n 1
}
check --resources 3
check --resources 3 --crashes 1 # one of the two clients; both may vanish in the tests of two resources
check --resources 3 --literal on
check --clients 3
check --clients 3 --wants r0,r1 --crashes 1
check --clients 3 --resources 3 --wants cycle
"$ALLOT" swarm ring-ticket --runs 100000
for repair in in-turn match-done skip-gone; do
    code=0
    "$ALLOT" swarm ring-ticket --runs 20000 --without $repair --out $repair.txt >/dev/null || code=$?
    [ $code -eq 1 ] || { echo "not found without $repair: exit code $code"; exit 1; }
    "$ALLOT" play $repair.txt >/dev/null
done
