# The larger instances of the crash-tolerant semaphore: all properties, exact store, and every order of deliveries.
set -euo pipefail
check() {
    echo "allot check permits $*"
    "$ALLOT" check permits "$@" --memory 16G | tail -n 1
}
for permits in 1 2 3; do check --sites 3 --permits $permits --crashes 2 --start-up off --full; done
for permits in 1 2; do check --sites 3 --permits $permits --crashes 1 --trust sparse --full; done
check --sites 4 --permits 1 --crashes 1 --start-up off --trust anchor
check --sites 4 --permits 2 --crashes 2 --start-up off --trust anchor --requests 1,1,1,0
check --sites 3 --permits 1 --requests 2 --crashes 1 --trust sparse --start-up off
check --sites 3 --permits 2 --membership open --founders 2 --crashes 1 --full
check --sites 3 --permits 2 --membership open --founders 2 --crashes 1 --restarts 1 --requests 1,1,0
