# The larger instances of Raymond's algorithm: all properties, exact store.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds 757019 3594445 raymond --sites 3 --permits 2 --requests 2
holds 8136487 44698438 raymond --sites 3 --permits 2 --requests 2 --full
holds 1802283 11229419 raymond --sites 4 --permits 3
holds 6382212 39845428 raymond --sites 4 --permits 2 --full
holds 1839593 9755348 raymond --sites 4 --permits 2 --crashes 1
holds 8241268 68607507 raymond --sites 4 --permits 3 --crashes 2
holds 2354451 16022313 raymond --sites 4 --permits 1 --requests any --full
