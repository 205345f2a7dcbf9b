# The larger instances of pools per host, without views and with them: section 1.5 of the specification on kinds.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
programs='--seats 2 --seat-requests any --requests any'
holds 348404 1379842 host-pool --sites 2 --units 2 --max-request 2 --modulus 2 $programs
holds 240536 1239056 host-pool --sites 3 --stage priority --units 2 $programs
holds 162670 608549 views-pool --sites 3 --tree chain --units 1 --modulus 2 --resend off --requests 1,1,0 --crashes 1
