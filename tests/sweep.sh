# allot sim with several values of a parameter: the table, the files, and what cannot be swept.
set -u
failed=0
complain() {
    echo "$1"
    failed=1
}
refused() {
    local expected=$1
    shift
    "$ALLOT" sim "$@" >out.txt 2>err.txt
    local code=$?
    [ $code -eq 2 ] && [ ! -s out.txt ] && [ "$(cat err.txt)" = "allot: $expected" ] ||
        { complain "sim $*: exit code $code, wanted 2 and: $expected"; cat out.txt err.txt; }
}
rm -f use.*

# A row per value, with the same numbers as a simulation by itself.
"$ALLOT" sim counters --resources 8 --max-request 1,2,4 --seeds 3 --time 1s --csv use.csv --plot use.svg >out.txt || complain "the sweep failed"
[ "$(head -1 out.txt)" = 'counters by max-request, 3 seeds from 1 on: means +- 95 %' ] || complain "another title: $(head -1 out.txt)"
[ "$(grep -Ec '^[124]  .*( \+- .*){5}$' out.txt)" -eq 3 ] || { complain "there are not three rows"; cat out.txt; }
alone=$("$ALLOT" sim counters --resources 8 --max-request 2 --seeds 3 --time 1s | awk '/^use rate/ { print $3 " +- " $4 }')
[ "$(grep '^2  ' out.txt | grep -o '[^ ]* +- [^ ]*$')" = "$alone" ] || complain "the use rate alone is $alone"
[ "$(wc -l <use.csv)" -eq 4 ] || complain "the CSV has $(wc -l <use.csv) lines"
head -1 use.csv | grep -q '^max-request,use rate minimum,use rate mean,use rate half width,use rate maximum,' || complain "another header: $(head -1 use.csv)"
for text in max-request 'use rate' 'waiting, mean (ms)' 'messages per grant' '</svg>'; do
    grep -qF "$text" use.svg || complain "the picture lacks: $text"
done

# Two parameters: a row per pair, and a curve per value of the second. Protocols are compared like this, too.
"$ALLOT" sim raymond --sites 4,8,16 --permits 1,2 --time 100ms --plot use.svg >out.txt || complain "the sweep of two failed"
[ "$(grep -Ec '^[12] +(4|8|16) ' out.txt)" -eq 6 ] || { complain "there are not six rows"; cat out.txt; }
grep -qF '>permits 2<' use.svg || complain "the picture has no curve for permits 2"
"$ALLOT" sim raymond,permits --sites 4..6 --time 100ms --json >out.json || complain "the comparison failed"
[ "$(grep -o '"protocol":"[a-z]*"' out.json | sort | uniq -c | tr -s ' ')" = ' 3 "protocol":"permits"
 3 "protocol":"raymond"' ] || complain "the reports are of other protocols"
grep -q '^\[{"protocol":.*}\]$' out.json || complain "the reports are no array"

# A list that is one value stays one.
"$ALLOT" sim raymond --crash 1@10ms,2@20ms --permits 3 --time 100ms >out.txt || complain "--crash with a comma failed"
grep -q '^raymond, 100ms simulated, seed 1$' out.txt || complain "--crash was swept"

# All places are judged before the first run, and files are opened.
refused '--permits 4: with --sites 3 write a number from 1 to 3' raymond --sites 3 --permits 1..9
refused '--permits, --sites and --time: at most two may have several values; choose one value for the rest' \
    raymond --permits 1,2 --sites 3,4 --time 1s,2s
for range in 8..4 3..3 1.. ..4 '1..4*' 1..2..3; do
    refused "--sites $range: write a range that ascends, as in 1..8, 0..20+5 or 1..16*2" raymond --sites "$range"
done
refused '--max-request 1,,2: write a value before and after each comma' counters --max-request 1,,2
refused 'raymond,raymond: raymond is there twice; write it once' raymond,raymond
refused '--plot use.png: the picture is an SVG file; write a name that ends in .svg' raymond --sites 3,4 --plot use.png
refused '--log run.txt: a log is of one run; write one value for --sites' raymond --sites 3,4 --log run.txt
refused '--plot use.svg: write several values for some parameter, as in --time 1s,2s' raymond --plot use.svg
refused '--csv /: cannot write this file: it is a directory' raymond --sites 3,4 --csv /
"$ALLOT" sim raymond --sites 3,4,x >out.txt 2>err.txt
[ $? -eq 2 ] && [ ! -s out.txt ] && grep -q '^allot: --sites x: write a whole number' err.txt || complain "--sites 3,4,x: $(cat err.txt)"

# Numbers for a pipe: the table goes to standard error.
"$ALLOT" sim raymond --sites 3,4 --time 10ms --csv - 2>report.txt >out.txt
[ "$(wc -l <out.txt)" -eq 3 ] && grep -q '^raymond by sites' report.txt || complain "--csv - mixes numbers and table"

# Without gnuplot: the numbers, and one line.
rm -f use.*
PATH=/nowhere "$ALLOT" sim raymond --sites 3,4 --time 10ms --csv use.csv --plot use.svg >out.txt 2>err.txt
[ $? -eq 1 ] && grep -q '^allot: no picture: gnuplot is missing' err.txt || complain "without gnuplot: $(cat err.txt)"
[ -s use.csv ] && [ ! -e use.svg ] || complain "without gnuplot there are other files: $(echo use.*)"

# A run that stands still is named. A violated property ends the sweep, and the line says what repeats it.
"$ALLOT" sim raymond --permits 1,2 --crash 1@10ms >out.txt
[ $? -eq 1 ] && grep -q '^permits 1: stalled: at the end 2 of the sites wait, and nothing will serve them$' out.txt || { complain "the stalled run is not named"; cat out.txt; }
"$ALLOT" sim counters --max-request 1,2 --without all >out.txt 2>err.txt
[ $? -eq 1 ] && grep -Eq '^allot: max-request [12]: violated at [0-9.]+ms with --seed 1: ' err.txt || complain "the violation is not named: $(cat err.txt)"

# The time limit ends it, too; the rows that are complete are printed.
"$ALLOT" sim raymond --sites 4,3000 --limit 1s >out.txt 2>err.txt
[ $? -eq 3 ] && grep -q '^allot: bounded: the time limit of 1 s was reached$' err.txt || complain "--limit: $(cat err.txt)"
[ "$(grep -Ec '^[0-9]' out.txt)" -eq 1 ] && grep -q '^4  ' out.txt || { complain "--limit printed other rows"; cat out.txt; }
"$ALLOT" sim raymond --sites 4,3000 --limit 500ms --csv half.csv --plot half.svg >out.txt 2>err.txt
[ $? -eq 3 ] && [ "$(cat err.txt)" = 'allot: bounded: the time limit of 0.5 s was reached; half.csv and half.svg were not written' ] ||
    complain "a bounded sweep does not say that it wrote no file: $(cat err.txt)"
[ -z "$(ls half.* 2>/dev/null)" ] || complain "a bounded sweep wrote $(ls half.*)"
exit $failed
