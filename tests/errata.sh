# allot errata: which are shown, and how they are told. That each one gives the violation it claims, and that every cure
# holds, is run for one problem; soak/errata.sh runs them all.
set -eu

# Which are shown, and not just listed.
shown() { "$ALLOT" errata --problem "$1" | awk '$2 == "check" || $2 == "scenario" || $2 == "sim" { sub(/.*:/, "", $1); printf "%s ", $1 }'; }
[ "$(shown semaphore)" = "1 2 3 4 5 6 8 11 15 join crash-clock own-report two-holders endless-start " ]
[ "$(shown multilock)" = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 19 21 22 23 " ]
[ "$(shown pool)" = "1 2 3 4 5 6 7 8 9 10 11 12 14 16 18 " ]
[ "$(shown neighborhood)" = "1 2 3 4 5 6 7 8 9 11 12 13 14 15 16 19 20 " ]
[ "$(shown broker)" = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 16 18 X1 " ]

# The story of one has its command and its cure, ready to paste.
"$ALLOT" errata --show semaphore:1 >story.txt
grep -qx '    allot check permits --sites 2 --permits 1 --crashes 1 --without apply-crash' story.txt
grep -qx '    allot check permits --sites 2 --permits 1 --crashes 1' story.txt
[ "$(awk '!/^    / && length > 100' story.txt)" = "" ]

# For programs: the same errata.
"$ALLOT" errata --problem semaphore --json >list.json
grep -q '^\[{"id":"semaphore:1","problem":"semaphore","number":"1",' list.json
"$ALLOT" errata --run semaphore:1 --json >trial.json
"$ALLOT" errata --problem semaphore --run all >all.txt
[ "$(grep -c shown all.txt)" -gt 1 ]
grep -q '"found":"deadlock","shown":true,.*"cure_found":"holds","cured":true' trial.json

# Tables fit a terminal.
[ "$("$ALLOT" errata | awk 'length > 100')" = "" ]
