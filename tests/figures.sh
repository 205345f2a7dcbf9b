# allot figures: the list, the table with its files, and what happens without gnuplot.
set -eu

"$ALLOT" figures | grep -q '^crashes  '
"$ALLOT" figures | grep -q '^waiting-by-size  '
"$ALLOT" figures --json | grep -q '^\[{"name":"crashes","paper":"Bouillaguet'

# The directory is made; the table has a row per algorithm, and both files are named.
rm -rf new
"$ALLOT" figures crashes --seeds 1 --out new/pictures >out.txt
grep -Eq '^published dense k=1 +(1 +){14}0$' out.txt
grep -qx 'numbers: new/pictures/crashes.csv' out.txt
grep -qx 'picture: new/pictures/crashes.svg' out.txt
[ "$(wc -l <new/pictures/crashes.csv)" -eq 16 ]
head -1 new/pictures/crashes.csv | grep -q '^crashes,Raymond k=5 minimum,Raymond k=5 mean,Raymond k=5 half width,'
grep -q '</svg>' new/pictures/crashes.svg

# Without gnuplot: the numbers are written, and one line says why there is no picture.
rm -rf new
PATH=/nowhere "$ALLOT" figures crashes --seeds 1 --out new --json >out.txt 2>err.txt
[ "$(cat err.txt)" = 'allot: no picture: gnuplot is missing; install the Debian package gnuplot-nox' ]
grep -q '"csv":"new/crashes.csv","svg":null' out.txt
[ -s new/crashes.csv ]
[ ! -e new/crashes.svg ]

# The pool: bounds beside what was measured, and recovery by traversals and messages.
"$ALLOT" figures pool-waiting --seeds 1 --out new >out.txt
grep -Eq '^theorem 2 +100 +676 +3364 ' out.txt
grep -Eq '^specification +40 +104 +232 +488 +1000$' out.txt
awk -F, 'NR > 1 && ($9 > $6 || $9 < 3) { exit 1 }' new/pool-waiting.csv # a chain stays below the bound
"$ALLOT" figures | grep -q '^convergence  '
"$ALLOT" figures | grep -q '^pool-messages  '

# Neighbourhoods: two protocols stop on two of the graphs, escrow on none.
"$ALLOT" figures neighborhood --seeds 1 --out new >out.txt
grep -Eq '^composition, sites that wait in vain +0 +0 +100 +60$' out.txt
grep -Eq '^sidetrack, sites that wait in vain +0 +0 +100 +60$' out.txt
grep -Eq '^escrow, sites that wait in vain +0 +0 +0 +0$' out.txt
