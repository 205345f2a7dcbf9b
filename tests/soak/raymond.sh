# The larger instances of Raymond's algorithm: all properties, exact store.
set -euo pipefail
check() {
    echo "allot check raymond $*"
    "$ALLOT" check raymond "$@" --memory 16G | tail -n 1
}
check --sites 3 --permits 2 --requests 2
check --sites 3 --permits 2 --requests 2 --full
check --sites 4 --permits 3
check --sites 4 --permits 2 --full
check --sites 4 --permits 2 --crashes 1
check --sites 4 --permits 3 --crashes 2
check --sites 4 --permits 1 --requests any --full
