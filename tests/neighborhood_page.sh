# The page on neighbourhoods says what its commands print.
set -eu
bash "$ALLOT_SOURCE_DIR/tests/readme.sh" "$ALLOT_SOURCE_DIR/docs/neighborhood.md" 5

# A run that stands still says why it did not go well; what is not known of an instance is said before.
code=0
"$ALLOT" sim composition --graph path:3 --bounds '0,1;1,2;0,2' --initial Ioo --time 2s >out.txt || code=$?
[ "$code" -eq 1 ]
grep -qx 'stalled: at the end 3 of the sites wait, and nothing will serve them' out.txt
grep -qx 'left behind: 3 of the sites never turned round and wait longer than --patience' out.txt
"$ALLOT" sim escrow --graph path:3 --bounds '0,1;1,2;0,2' --initial Ioo --time 2s >out.txt 2>err.txt
[ ! -s err.txt ]
code=0
"$ALLOT" sim escrow --graph grid:12x12 --bounds 1,2 --time 10ms >out.txt 2>err.txt || code=$?
[ "$code" -eq 1 ]
grep -q '^left behind: ' out.txt
grep -q '^allot: --bounds 1,2: of [0-9]* sites it is not known whether they can ever turn round; ' err.txt

# The plain command is a check of everything, and clean.
"$ALLOT" check escrow --graph path:2 --bounds 0,1 >out.txt
grep -q '^holds: ' out.txt
grep -qx 'Requests: any number by every site.' out.txt
