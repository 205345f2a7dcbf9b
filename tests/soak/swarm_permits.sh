# A hundred thousand random runs of the crash-tolerant semaphore, with every fault it is meant to survive; and
# repairs that are switched off are found. (The two that only matter to newcomers' fences are left to the checker.)
set -euo pipefail
"$ALLOT" swarm permits --runs 100000
"$ALLOT" swarm permits --runs 50000 --seed 2 --membership open --anchor none --restarts 3 --crashes 3 --leaves 2 --sites 4 --founders 2

finds() {
    echo "without $*"
    local code=0
    "$ALLOT" swarm permits --runs 100000 --out found.txt --without "$@" >/dev/null || code=$?
    [ $code -eq 1 ] || { echo "not found: exit code $code"; exit 1; }
    "$ALLOT" play found.txt >/dev/null
}
finds apply-crash
finds advance-clock
finds join-barrier
finds relay --membership fixed --sites 4 --permits 1 --max-request 1 --crashes 2 --trust sparse --start-up off
