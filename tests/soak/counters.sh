# The larger instances of locks by counters: all properties, exact store, and every order of deliveries.
set -euo pipefail
check() {
    echo "allot check counters $*"
    "$ALLOT" check counters "$@" --memory 16G | tail -n 1
}
check --improve none --links fifo --loans 0 --requests 2,2,1
check --improve none --links fifo --loans 0 --sites 4
check --improve none --links fifo --requests 2,2,1
check --improve none --links fifo --sites 4
check --improve none --links fifo --requests 2,1,1 --cancel
check --improve none --resources 3
check --improve none --requests 2,1,1
check --improve home --loans 0
check --improve stop --links fifo --loans 0 --requests 2,1,1 --cancel
check --links fifo --cancel
