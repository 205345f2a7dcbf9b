# A hundred thousand random runs of Raymond's algorithm, with every fault it is meant to survive.
set -euo pipefail
"$ALLOT" swarm raymond --runs 100000
"$ALLOT" swarm raymond --runs 20000 --seed 2 --requests any --links fifo
