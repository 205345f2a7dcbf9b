# Larger instances of the multilock baselines, all properties, and many random runs.
set -euo pipefail
check() {
    echo "allot check $*"
    "$ALLOT" check "$@" --memory 16G | tail -n 1
}
check naimi-trehel --sites 5 --requests any
check incremental --sites 4 --resources 3
check incremental --sites 5 --resources 2
check incremental --sites 4 --resources 2 --requests 2,2,1,1
for reading in pass hold lock section; do
    check control-token --sites 4 --resources 3 --control $reading
    check control-token --sites 3 --resources 3 --requests 2,1,1 --control $reading
done
for protocol in naimi-trehel incremental control-token ideal; do "$ALLOT" swarm $protocol --runs 50000; done
