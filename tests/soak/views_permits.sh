# The larger instances of permits with agreed views: section 4.6 of the specification on kinds.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds 467422 1836680 views-permits --sites 3 --permits 2 --max-request 2 --crashes 1
holds 667707 3341809 views-permits --sites 3 --permits 2 --max-request 2 --crashes 2
holds 478489 2087919 views-permits --sites 3 --permits 2 --crashes 1 --requests 2,1,1
holds 1423561 7192820 views-permits --sites 3 --crashes 1 --requests 2,1,1 --cancel
holds 1514864 8402249 views-permits --sites 3 --permits 2 --max-request 2 --crashes 1 --cancel
holds 210906 938366 views-permits --sites 3 --founders 2 --permits 2 --crashes 1
holds 218864 945507 views-permits --sites 3 --crashes 1 --restarts 1 --orphans --requests 1,1,0
holds 263442 1257683 views-permits --sites 3 --permits 2 --crashes 1 --restarts 1 --orphans --requests 1,1,0
holds 128856 581158 views-permits --sites 4 --crashes 1 --requests 1,1,0,0
holds 544033 2551862 views-permits --sites 4 --permits 2 --max-request 2 --crashes 1 --requests 1,1,0,0
holds 933594 4572297 views-permits --sites 3 --crashes 1 --expulsions 1 --requests 1,1,0
holds 1205748 5395752 views-permits --sites 3 --expulsions 1
holds 1748314 8408377 views-permits --sites 3 --permits 2 --seats 2 --seat-requests 1,0 --requests 1,1,0 --expulsions 1
holds 2256746 11581406 views-permits --sites 3 --permits 2 --expulsions 1
holds 1114730 6182127 views-permits --sites 3 --permits 2 --crashes 1 --expulsions 1 --requests 1,1,0
holds 2439284 13396051 views-permits --sites 4 --crashes 1 --requests 1,1,1,0
holds 5333877 29868434 views-permits --sites 4 --permits 2 --crashes 1 --requests 1,1,1,0
holds 2323001 11070750 views-permits --sites 3 --crashes 1 --restarts 1 --orphans
holds 4593191 25236428 views-permits --sites 3 --permits 2 --crashes 1 --restarts 1 --orphans
bounded 5000000 views-permits --sites 3 --crashes 1 --restarts 1 --expulsions 1 --orphans --requests 1,1,0
# A program that never ends keeps nobody from units that are free: here the others fit beside it, whatever it holds.
holds 95408 387000 views-permits --sites 3 --permits 2 --crashes 1 --campers 0 --property deadlock --property starvation
holds 20113 73258 views-permits --sites 3 --permits 4 --max-request 2 --crashes 1 --requests 1,1,0 --campers 0 \
    --property deadlock --property starvation
# To keep permissions breaks the order of stamps, in which users come first, but neither safety nor the order of requests.
holds 520999 1960046 views-permits --sites 3 --permits 2 --max-request 2 --crashes 1 --without drop-permissions \
    --property at-most-k --property room-for-earlier --property deadlock
