# Leases over the register: late answers of earlier ballots meet later ones.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds 1707072 11040088 leases --copies 2
holds 18499503 135611391 leases --copies 3 --requests 1,1,0
