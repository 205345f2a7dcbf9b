# Random runs of the register, with up to five voters among two to seven hosts, and of leases and the first start over it; and
# rules that are switched off are found. Left to the checker, because 20,000 runs do not find them with every seed: one-ballot,
# synced-reads, strict-promises and unique-ballots of the register; known-disks, not-from-acceptance and new-read of leases; and
# recall.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
lasting 30000 40000000 register
clean 30000 - leases
clean 30000 - bootstrap
mutation never-older register --without majorities --property never-older
mutation never-older register --without majority-reads --property never-older
mutation one-value register --without confirmed-reads
mutation never-older register --without sync-first --property never-older
mutation one-value register --without known-disks --property one-value --lost-disks 1 --crashes 1 --restarts 1
mutation one-value register --without committed-seal --property one-value
mutation one-value register --without seal --property one-value
mutation never-older register --without sealed-reads
mutation no-overlap leases --without from-question --property no-overlap
mutation no-overlap leases --without whole-hold-off --property no-overlap
mutation no-overlap leases --without not-from-proposal --property no-overlap
mutation no-overlap leases --without not-from-memory --property no-overlap
mutation no-overlap leases --without certain-deaths --property no-overlap
mutation no-overlap leases --without programs-stop --property no-overlap
mutation no-overlap leases --without confirmed-reads --property no-overlap
mutation one-register bootstrap --without two-steps
mutation one-register bootstrap --without same-list
