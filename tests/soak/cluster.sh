# Three whole hosts over an atomic register that answers in its own time: every run without faults, and as far as the
# memory goes with a machine that dies at any step. tests/host explores two hosts.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds 4947406 22871325 cluster --sites 3 --backlog 1 --lease 2
bounded_memory=2000M
bounded 20000000 cluster --sites 3 --backlog 1 --lease 2 --silence 2 --crashes 1
