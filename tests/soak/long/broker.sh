# The largest instances of the broker: section 9 of its specification.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# States are those of docs/broker.md. `-`: not counted yet, since the check takes too long.
holds - - strong-weak --clients 3 --resources 3 --without promote --requests any
holds - - strong-weak --clients 4 --resources 2 --wants 'r0,r1;r0,r1;r1,r0;r1,r0' --requests any
holds 735860 - strong-weak --clients 4 --resources 4 --wants ring --requests any
holds 1590028 - strong-weak --clients 3 --resources 2 --crashes 3 --requests any
holds 878264 - strong-weak --clients 3 --resources 3 --crashes 3 --wants ring --requests any
holds 420994 - strong-weak --clients 3 --resources 2 --cancel --wants 'r0,r1/r1,r0;r1,r0/r0;r0,r1/r1' --requests any
holds - - strong-weak --clients 3 --resources 3 --cancel --wants cycle --requests any
holds 1579671 5507109 strong-weak --clients 3 --resources 3 --requests any
holds 3206774 17189640 ordered-chain --clients 3 --resources 3 --requests any
