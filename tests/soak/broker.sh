# The larger instances of the broker: section 9 of its specification.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds 312504 2024810 ordered-chain --clients 2 --resources 3 --crashes 2 --requests any
holds 730988 3996926 ordered-chain --clients 2 --resources 3 --cancel --requests any
