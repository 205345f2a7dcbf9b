# From arbitrary starts every schedule leads to a legitimate world, and none leads out again.
set -euo pipefail
from_anywhere() {
    echo "allot check tree-pool --start arbitrary $*"
    "$ALLOT" check tree-pool --start arbitrary --requests any --backoff 0 --memory 16G "$@" | tail -n 1
}
from_anywhere --sites 2 --units 1 --samples 2000
from_anywhere --sites 2 --units 1 --samples 1000 --noise 2 --cmax 2 --patience 2
from_anywhere --sites 2 --units 2 --max-request 2 --samples 200 --patience 2
from_anywhere --sites 2 --units 1 --samples 1000 --patience 2 --drain on
from_anywhere --sites 2 --units 1 --samples 200 --patience 2 --pacing on
for seed in $(seq 1 20); do
    from_anywhere --sites 3 --tree star --units 1 --samples 1 --seed "$seed" --patience 2
    from_anywhere --sites 3 --tree chain --units 1 --samples 1 --seed "$seed" --patience 2
done
