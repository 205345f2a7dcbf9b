# allot figures: the list, the table with its files, and what happens without gnuplot.
set -eu

"$ALLOT" figures >list.txt
for name in crashes use-rate waiting-by-load waiting-by-size convergence pool-waiting pool-messages pool-pacing neighborhood \
    broker-use broker-waiting broker-messages; do
    grep -q "^$name  " list.txt
done
"$ALLOT" figures --json >list.json
grep -q '^\[{"name":"crashes","paper":"Bouillaguet' list.json
[ "$(grep -o '"name":' list.json | wc -l)" -eq 12 ]

# The directory is made; the table has a row per algorithm, and both files are named.
rm -rf new
"$ALLOT" figures crashes --seeds 1 --out new/pictures >out.txt
grep -Eq '^published dense k=1 +(1 +){14}0$' out.txt
grep -qx 'numbers: new/pictures/crashes.csv' out.txt
grep -qx 'picture: new/pictures/crashes.svg' out.txt
[ "$(wc -l <new/pictures/crashes.csv)" -eq 16 ]
head -1 new/pictures/crashes.csv | grep -q '^crashes,Raymond k=5 minimum,Raymond k=5 mean,Raymond k=5 half width,Raymond k=5 maximum,'
grep -q '</svg>' new/pictures/crashes.svg

# Without gnuplot: the numbers are written, and one line says why there is no picture.
rm -rf new
PATH=/nowhere "$ALLOT" figures crashes --seeds 1 --out new --json >out.txt 2>err.txt
[ "$(cat err.txt)" = 'allot: no picture: gnuplot is missing; install the Debian package gnuplot-nox' ]
grep -q '"csv":"new/crashes.csv","svg":null' out.txt
[ -s new/crashes.csv ]
[ ! -e new/crashes.svg ]

# An interruption leaves both files as they were, and nothing beside them.
rm -rf old && mkdir old && echo numbers >old/use-rate.csv && echo picture >old/use-rate.svg
code=0
timeout --preserve-status -s INT 2 "$ALLOT" figures use-rate --out old >out.txt 2>err.txt || code=$?
[ "$code" -eq 3 ]
grep -q '^allot: bounded: .*interrupted$' err.txt
[ "$(cat old/*)" = 'numbers
picture' ]
[ "$(ls old | wc -l)" -eq 2 ]

# So does one while gnuplot draws: a terminal interrupts gnuplot, too.
mkdir -p slow
printf '#!/bin/sh\ntouch drawing\nexec sleep 60\n' >slow/gnuplot
chmod +x slow/gnuplot
rm -f drawing
PATH="$PWD/slow:$PATH" setsid "$ALLOT" figures use-rate --seeds 1 --out old >out.txt 2>err.txt &
waiter=$!
until [ -e drawing ]; do sleep 0.05; done
kill -INT -- -$waiter
code=0
wait $waiter || code=$?
[ "$code" -eq 3 ]
grep -qx 'allot: bounded: interrupted' err.txt
[ "$(cat old/*)" = 'numbers
picture' ]
# A gnuplot that fails is an error, and leaves both files as they were.
printf '#!/bin/sh\necho broken >&2\nexit 1\n' >slow/gnuplot
code=0
PATH="$PWD/slow:$PATH" "$ALLOT" figures use-rate --seeds 1 --out old >out.txt 2>err.txt || code=$?
[ "$code" -eq 1 ]
grep -qx 'allot: gnuplot failed: broken' err.txt
[ "$(cat old/*)" = 'numbers
picture' ]

# The pool: bounds beside what was measured, and recovery by traversals and messages.
"$ALLOT" figures pool-waiting --seeds 2 --out new >out.txt
grep -Eq '^theorem 2 +100 +676 +3364 ' out.txt
grep -Eq '^specification +40 +104 +232 +488 +1000$' out.txt
grep -q '^grants to others while one waits, maximum over 2 seeds$' out.txt
grep -q '>grants to others while one waits<' new/pool-waiting.svg
grep -q '>maximum over 2 seeds<' new/pool-waiting.svg
# The largest wait of every shape and seed stays below the bound of the specification, and is no trifle.
awk -F, 'NR == 1 && $9 $13 $17 $21 != "specification maximumchain maximumstar maximumbinary maximum" { wrong = 1 }
    NR > 1 { for (i = 13; i <= 21; i += 4) if ($i > $9 || $i < 3) wrong = 1 }
    END { exit wrong || NR != 6 }' new/pool-waiting.csv
"$ALLOT" figures convergence --seeds 1 --out new >out.txt
[ "$(grep -Ec '^(chain|star|binary), recoveries in a run, at least +20 +20 +20 +20 +20 +20$' out.txt)" -eq 3 ]
# Of a pool that hardly anybody uses pacing takes most of the traffic, and makes a rare request wait longer, but not three times.
"$ALLOT" figures pool-messages --seeds 1 --out new >out.txt
awk '/^16 sites  / { without = $NF } /^16 sites, pacing/ { paced = $NF } END { exit !(paced > 0 && 5 * paced < without) }' out.txt
"$ALLOT" figures pool-pacing --seeds 1 --out new >out.txt
awk '/^without/ { for (i = 2; i <= 4; ++i) without[i] = $i }
    /^pacing/ { for (i = 2; i <= 4; ++i) if (!(without[i] > 0 && $i > without[i] && $i < 3 * without[i])) wrong = 1; ++rows }
    END { exit wrong || rows != 1 }' out.txt
# The broker: what a pair costs where nobody meets, and under load.
"$ALLOT" figures broker-messages --seeds 1 --out new >out.txt
grep -Eq '^ordered-chain, heavy  .* 5(\.00[0-9])?$' out.txt
grep -Eq '^ring-ticket, heavy  .* (7(\.0[0-9]*)?|6\.99[0-9]*)$' out.txt
awk '/^strong-weak, light / { light = $NF } /^strong-weak, heavy, skewed/ { heavy = $NF }
    END { exit !(light > 7 && light < heavy && heavy < 10) }' out.txt

# Neighbourhoods: two protocols stop on two of the graphs, and one leaves a site behind on a third; escrow on none.
"$ALLOT" figures neighborhood --seeds 1 --out new >out.txt
grep -Eq '^composition, sites that wait in vain +0 +0 +100 +60$' out.txt
grep -Eq '^sidetrack, sites that wait in vain +0 +1 +100 +60$' out.txt
grep -Eq '^escrow, sites that wait in vain +0 +0 +0 +0$' out.txt
# Its four panels stand two by two, each with the graphs below it.
grep -q 'viewBox="0 0 1148 ' new/neighborhood.svg
for title in 'flips per site and second' 'longest wait (ms)' 'messages per flip and neighbour' 'sites that wait in vain'; do
    grep -qF ">$title<" new/neighborhood.svg
done
[ "$(grep -o '>grid 10x10<' new/neighborhood.svg | wc -l)" -eq 4 ]
