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
mv old/use-rate.csv old/crashes.csv && mv old/use-rate.svg old/crashes.svg
mkdir -p slow
printf '#!/bin/sh\ntouch drawing\nexec sleep 60\n' >slow/gnuplot
chmod +x slow/gnuplot
rm -f drawing
PATH="$PWD/slow:$PATH" setsid "$ALLOT" figures crashes --seeds 1 --out old >out.txt 2>err.txt &
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
PATH="$PWD/slow:$PATH" "$ALLOT" figures crashes --seeds 1 --out old >out.txt 2>err.txt || code=$?
[ "$code" -eq 1 ]
grep -qx 'allot: gnuplot failed: broken' err.txt
[ "$(cat old/*)" = 'numbers
picture' ]
