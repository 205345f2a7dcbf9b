# The largest instances of permits with agreed views: section 4.6 of the specification on kinds. Those that do not end go further
# than its prototype did.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds 9150004 45504818 views-permits --sites 3 --permits 2 --max-request 2 --expulsions 1
bounded_memory=256M
bounded 2500000 views-permits --sites 3 --crashes 1 --expulsions 1
bounded 2500000 views-permits --sites 3 --permits 2 --crashes 1 --expulsions 1
bounded 3500000 views-permits --sites 3 --permits 2 --max-request 2 --crashes 1 --cancel --requests 2,1,1
