# Output arrives whole or not at all: files, standard output, and what a pipe gets.
set -u
failed=0
complain() {
    echo "$1"
    failed=1
}

# full WHERE COMMAND...: the command ends with 1, and its one line says that WHERE is full.
full() {
    local where=$1
    shift
    "$@" 2>err.txt
    local code=$?
    [ $code -eq 1 ] && [ "$(cat err.txt)" = "allot: $where: No space left on device" ] ||
        { complain "$*: exit code $code, wanted 1 and one line on $where"; cat err.txt; }
}
to_full_disk() { "$ALLOT" "$@" >/dev/full; }
full 'standard output' to_full_disk protocols
full 'standard output' to_full_disk protocols --json
full 'standard output' to_full_disk check raymond
full 'standard output' to_full_disk check raymond --json
full 'standard output' to_full_disk sim raymond --time 10ms
full 'standard output' to_full_disk swarm raymond --runs 10
full 'standard output' to_full_disk figures
full 'standard output' to_full_disk --help
full 'standard output' to_full_disk play "$ALLOT_SOURCE_DIR"/scenarios/*/*.txt
quietly() { "$ALLOT" "$@" >/dev/null; }
full '/dev/full: cannot write this file' quietly sim raymond --time 10s --log /dev/full
full '/dev/full: cannot write this file' quietly swarm raymond --run 3 --out /dev/full
full '--checkpoint /dev/full: cannot write this file' quietly check raymond --sites 5 --permits 3 --full --limit 100ms --checkpoint /dev/full

# closed COMMAND...: standard output is closed; no file may take its place.
closed() {
    "$ALLOT" "$@" >&- 2>err.txt
    local code=$?
    [ $code -eq 1 ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -q '^allot: standard output: ' err.txt ||
        { complain "$* with standard output closed: exit code $code"; cat err.txt; }
}
rm -f stuck.txt
closed check raymond --crashes 2 --out stuck.txt
[ ! -e stuck.txt ] || "$ALLOT" play stuck.txt --quiet >/dev/null || complain "the report went into the counterexample"
closed sim raymond --time 10ms --log stuck.txt
[ ! -e stuck.txt ] || "$ALLOT" play stuck.txt --quiet >/dev/null || complain "the report went into the log"
closed protocols

# A file beyond `ulimit -f` is an error like a full disk, and leaves nothing.
rm -rf short && mkdir short
(ulimit -f 1 && exec "$ALLOT" sim raymond --time 1s --log short/log.txt) >out.txt 2>err.txt
[ $? -eq 1 ] && [ "$(cat err.txt)" = 'allot: short/log.txt: cannot write this file: File too large' ] ||
    { complain "a file beyond the limit is not an error"; cat err.txt; }
[ -z "$(ls short)" ] || complain "a file beyond the limit left $(ls short)"

# A check that holds writes no file, and leaves an old one as it is.
rm -rf whole && mkdir whole && cd whole || exit 1
"$ALLOT" check raymond --out stuck.txt >/dev/null || complain "check raymond does not hold"
[ ! -e stuck.txt ] || complain "a check that holds left a file"
echo old >stuck.txt
"$ALLOT" check raymond --out stuck.txt >/dev/null
[ "$(cat stuck.txt)" = old ] || complain "a check that holds changed a file"
"$ALLOT" swarm raymond --runs 10 --out stuck.txt >/dev/null || complain "swarm raymond is not clean"
[ "$(cat stuck.txt)" = old ] || complain "a clean campaign changed a file"
"$ALLOT" check raymond --crashes 2 --out stuck.txt >/dev/null
"$ALLOT" play stuck.txt --quiet >/dev/null || complain "a counterexample does not replay"
[ "$(ls)" = stuck.txt ] || complain "something else was left: $(ls)"
cd ..

# Numbers and picture change together: if the old picture cannot be replaced, the numbers stay as well.
rm -rf together && mkdir -p together/crashes.svg && echo old >together/crashes.csv
"$ALLOT" figures crashes --seeds 1 --out together >out.txt 2>err.txt
[ $? -eq 2 ] && grep -q 'cannot write a file there' err.txt || complain "figures wrote beside a folder crashes.svg"
[ "$(cat together/crashes.csv)" = old ] || complain "figures changed the numbers without the picture"

# A folder that cannot be complete is not there.
"$ALLOT" new two-keys --folder /proc/two-keys >out.txt 2>err.txt
[ $? -eq 1 ] && [ "$(wc -l <err.txt)" -eq 1 ] || complain "new wrote to /proc"
"$ALLOT" new two-keys --folder deep/two-keys/ >out.txt && [ "$(ls deep)" = two-keys ] || complain "new left more than its folder"
rm -rf deep
"$ALLOT" new two-keys --folder missing/. >out.txt 2>err.txt
[ $? -eq 2 ] && [ ! -e missing ] || complain "new left a folder that it did not fill"
rm -rf 'two keys' && "$ALLOT" new two-keys --folder 'two keys' >out.txt
grep -qF "cd 'two keys' && make" out.txt || complain "the path with a space is not quoted: $(cat out.txt)"
rm -rf ./-x && "$ALLOT" new two-keys --folder=-x >out.txt
grep -qF 'cd ./-x && make' out.txt || complain "cd takes the path for a flag: $(cat out.txt)"

# A pipe gets the file alone; the report goes to standard error.
"$ALLOT" sim raymond --time 20ms --log - 2>report.txt | "$ALLOT" play - --quiet >out.txt
[ "$(cat out.txt)" = '-: as expected' ] || complain "the log of a simulation does not play from a pipe"
grep -q '^messages per grant ' report.txt || complain "sim --log - has no report"
"$ALLOT" check raymond --crashes 2 --out - 2>report.txt | "$ALLOT" play - --quiet >out.txt
[ "$(cat out.txt)" = '-: as expected' ] || complain "a counterexample does not play from a pipe"
grep -q '^violated: ' report.txt || complain "check --out - has no report"
for command in 'sim raymond --log' 'check raymond --out' 'swarm raymond --out'; do
    "$ALLOT" $command - --json >out.txt 2>err.txt
    [ $? -eq 2 ] && [ ! -s out.txt ] || complain "$command - --json was not refused"
    flag=${command##* }
    grep -qx "allot: $flag -: standard output has the report; write $flag FILE, or leave out --json" err.txt ||
        { complain "$command - --json is refused otherwise"; cat err.txt; }
done

# Standard output may be a file, and keeps what was printed before.
"$ALLOT" check raymond --crashes 2 --out /dev/stdout >both.txt
[ "$(grep -c '^protocol raymond' both.txt)" -eq 3 ] || complain "--out /dev/stdout lost the report or the scenario"
exit $failed
