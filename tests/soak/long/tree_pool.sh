# The larger instances of the pool on a tree: section 7 of its specification, with the longest waits.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# waits TEXT: the last check printed these longest waits.
waits() { grep "by site: $1\.$" found.txt || complain "wanted the longest waits $1"; }
holds 3647853 19729417 tree-pool --sites 3 --tree star --units 2 --max-request 2 --modulus 2 --requests any --waits
waits '6, 12, 12'
holds 3430495 18444193 tree-pool --sites 3 --tree chain --units 2 --max-request 2 --modulus 2 --requests any --waits
waits '12, 6, 12'
holds 1377288 6969494 tree-pool --sites 4 --tree parents:-1,0,0,1 --units 1 --modulus 2 --requests any --waits
waits '3, 3, 5, 5'
holds 1602783 6996791 tree-pool --sites 3 --tree star --units 1 --modulus 3 --copies 2 --taint off --backoff 0 --requests any --waits
waits '1, 3, 3'
holds 308712 1663068 tree-pool --sites 3 --tree star --units 3 --max-request 2 --stage priority --requests any --waits
waits '7, 18, 18'
holds 936624 5955460 tree-pool --sites 3 --tree star --units 3 --max-request 3 --stage priority --requests any --waits
waits '9, 18, 18'
holds 1988220 13152708 tree-pool --sites 4 --tree chain --units 2 --max-request 2 --stage priority --requests any --waits
waits '20, 14, 14, 20'
# With any losses there are never more than l units, and no reset.
holds 6343727 37857960 tree-pool --sites 3 --tree star --units 1 --modulus 3 --lose any --patience 0 --backoff 0 --requests any \
    --property at-most-l --property no-surplus --property no-reset --waits
