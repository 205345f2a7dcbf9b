# The larger instances of the broker: section 9 of its specification.
set -euo pipefail
check() {
    echo "allot check $*"
    "$ALLOT" check "$@" --requests any --memory 16G >found.txt || { cat found.txt; exit 1; }
    tail -n 1 found.txt
}
check strong-weak --clients 3 --resources 3
check strong-weak --clients 3 --resources 3 --without promote
check strong-weak --clients 4 --resources 2 --wants 'r0,r1;r0,r1;r1,r0;r1,r0'
check strong-weak --clients 4 --resources 4 --wants ring
check strong-weak --clients 3 --resources 2 --crashes 3
check strong-weak --clients 3 --resources 3 --crashes 3 --wants ring
check strong-weak --clients 3 --resources 2 --cancel --wants 'r0,r1/r1,r0;r1,r0/r0;r0,r1/r1'
check strong-weak --clients 3 --resources 3 --cancel --wants cycle
check ordered-chain --clients 3 --resources 3
check ordered-chain --clients 2 --resources 3 --crashes 2
check ordered-chain --clients 2 --resources 3 --cancel
