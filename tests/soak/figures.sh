# What the figures show, one seed or two of each.
set -eu
rm -rf new

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
