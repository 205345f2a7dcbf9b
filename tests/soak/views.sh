# The larger instances of views: hosts that crash, are removed while they live, join, come back and adopt their programs.
# All properties, exact store, every order of deliveries.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
one_lock=(--resources 1 --improve none --loans 0)
holds 5076161 20420780 views-counters "${one_lock[@]}" --sites 4 --crashes 1
holds 5172232 26188704 views-counters "${one_lock[@]}" --crashes 1 --expulsions 1
holds 7775715 38339468 views-counters "${one_lock[@]}" --founders 2 --expulsions 1
holds 5373536 21965899 views-counters "${one_lock[@]}" --sites 2 --crashes 2 --restarts 2 --expulsions 1 --orphans
holds 4868308 15882304 views-counters --loans 0 --crashes 1
holds 11546028 38716150 views-counters --crashes 1
