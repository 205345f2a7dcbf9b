# Views in which only users are recovered, and those who wait ask again: larger instances.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
one_lock=(--resources 1 --improve none --loans 0)
holds 4875217 19622424 views-counters "${one_lock[@]}" --sites 4 --crashes 1 --recovered users
holds 11530185 38680150 views-counters --crashes 1 --recovered users
