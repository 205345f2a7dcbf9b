# Larger instances of tickets on a ring, all properties, with clients that vanish; and many random runs.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds 265584 1341180 ring-ticket --resources 3 --requests any
# One of the two clients may vanish; both may in the tests of two resources.
holds 3488430 24597816 ring-ticket --resources 3 --crashes 1 --requests any
holds 245506 1114544 ring-ticket --resources 3 --literal on --requests any
holds 273464 1326356 ring-ticket --clients 3 --requests any
holds 416236 2655112 ring-ticket --clients 3 --wants r0,r1 --crashes 1 --requests any
holds 95688 543249 ring-ticket --clients 3 --resources 3 --wants cycle --requests any
clean 100000 16000000 ring-ticket
finds one-ticket 20000 ring-ticket --without in-turn
finds served-everywhere 20000 ring-ticket --without match-done
finds deadlock 20000 ring-ticket --without skip-gone
