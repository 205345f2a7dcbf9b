# Limits and interruptions of the laboratory: a bounded report and exit code 3, also while an instance is set up, and
# checks that go on from a checkpoint.
set -u
failed=0
fail() { echo "$1"; cat out.txt err.txt; failed=1; }
# expect CODE ARGUMENTS...: the output is then in out.txt and err.txt
expect() {
    local code=$1
    shift
    "$ALLOT" "$@" >out.txt 2>err.txt
    local found=$?
    [ $found -eq "$code" ] || fail "allot $*: exit code $found, wanted $code"
}
has() { cat out.txt err.txt | grep -qF -- "$1" || fail "not in the output: $1"; }

# --- --limit, while the sites are started, a single run is taken, resources are drawn, starts are drawn, and later.
expect 3 sim raymond --sites 100001 --time 1ms --limit 300ms
has 'bounded: the time limit of 0.3 s was reached'
expect 3 swarm raymond --sites 1000 --limit 300ms
has 'Bounded: the time limit of 0.3 s was reached.'
has 'bounded: 0 runs'
expect 3 sim counters --resources 100000 --limit 300ms
has 'bounded: the time limit of 0.3 s was reached'
expect 3 check tree-pool --start arbitrary --samples 1000000 --limit 300ms
has 'bounded: the time limit of 0.3 s was reached before there was anything to report'
expect 3 check raymond --sites 5 --permits 3 --full --requests any --limit 300ms
has 'Bounded: the time limit of 0.3 s was reached.'
expect 3 sim raymond --time 1000000s --limit 300ms
has 'bounded: the time limit of 0.3 s was reached'
expect 0 sim raymond --time 1ms --limit 1h
expect 3 check raymond --memory 1K
has 'Bounded: the memory limit of 1 KiB was reached.'

# --- Too little memory is not a violated property. The sanitizers need more address space than any limit here.
little_memory() {
    local kib=$1
    shift
    (ulimit -v "$kib" && exec "$ALLOT" "$@") >out.txt 2>err.txt
    local found=$?
    [ $found -eq 3 ] || fail "allot $*: exit code $found with $kib KiB of memory, wanted 3"
    has 'allot: this machine has not enough memory for this instance'
}
if ! grep -qa __asan_init "$ALLOT"; then
    little_memory 200000 sim raymond --sites 100000 --time 10ms
    little_memory 60000 swarm raymond --sites 1000 --runs 3 --threads 1
fi

# --- Ctrl-C and SIGTERM.

# CPU time of a process so far, in hundredths of a second.
cpu() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
# interrupted SIGNAL ARGUMENTS...: sends the signal in the middle of the work.
interrupted() {
    local signal=$1
    shift
    "$ALLOT" "$@" >out.txt 2>err.txt &
    local pid=$!
    while [ "$(cpu $pid)" -lt 20 ]; do
        kill -0 $pid 2>/dev/null || break
    done
    kill "-$signal" $pid
    wait $pid
    local found=$?
    [ $found -eq 3 ] || fail "allot $*: exit code $found after SIG$signal, wanted 3"
}
interrupted INT check raymond --sites 5 --permits 3 --full --requests any
has 'Bounded: interrupted.'
interrupted TERM check raymond --sites 5 --permits 3 --full --requests any --json
has '"stopped_by":"interrupted"'
interrupted INT sim raymond --time 1000000s
has 'bounded: interrupted'
interrupted INT swarm raymond --runs 1000000000
has 'Bounded: interrupted.'
interrupted TERM figures waiting --seeds 1000 --out pictures
has 'bounded: waiting-by-load'
interrupted INT feasible --graph random:60:4:2 --bounds 1,2 --effort 1000000000000
has 'bounded: interrupted'
# GNU timeout signals the command, and at once again with its group. Apart by a moment, the two never merge.
"$ALLOT" check raymond --sites 5 --permits 3 --full --requests any --checkpoint stopped >out.txt 2>err.txt &
pid=$!
while [ "$(cpu $pid)" -lt 50 ]; do :; done
kill -TERM $pid
sleep 0.01
kill -TERM $pid
wait $pid
[ $? -eq 3 ] && [ -s stopped ] || fail 'two signals at once: wanted exit code 3 and a checkpoint'
has 'Bounded: interrupted.'
(cd "$ALLOT_SOURCE_DIR" && exec "$ALLOT" errata --run) >out.txt 2>err.txt &
pid=$!
while [ "$(cpu $pid)" -lt 50 ]; do :; done
kill -TERM $pid
wait $pid
[ $? -eq 3 ] || fail "allot errata --run: wanted exit code 3 after SIGTERM"
has 'bounded: interrupted before all commands were run'
expect 0 sim raymond --sites 5 --time 30s --log long.txt
interrupted INT play --quiet long.txt
has 'bounded: interrupted before the end of long.txt'

# --- A short command tells no progress.
expect 0 check raymond
[ ! -s err.txt ] || fail 'allot check raymond wrote to standard error'

# --- Checkpoints.
counts() { grep -o '"verdict":"[a-z]*","properties"\|"states":[0-9]*,"transitions":[0-9]*,"depth":[0-9]*' out.txt; }
for threads in 1 2; do
    long="check raymond --sites 4 --permits 1 --requests 1 --links fifo --threads $threads --json"
    expect 0 $long
    counts >whole.txt
    expect 3 $long --limit 100ms --checkpoint stopped
    "$ALLOT" $long --limit 200ms --resume stopped --checkpoint stopped >out.txt 2>err.txt
    code=$?
    [ $code -eq 3 ] || [ $code -eq 0 ] || fail "$long: does not go on"  # a fast machine ends it here
    expect 0 $long --resume stopped --checkpoint stopped
    counts | cmp -s - whole.txt || fail "$long: other counts after a resumption than $(cat whole.txt)"
done
expect 3 check raymond --sites 5 --permits 3 --full --limit 100ms --checkpoint stopped
has 'To go on: the same command with --resume stopped'

# The last checkpoint is written whole, however long that takes.
rm -f slow_disk
mkfifo slow_disk
(sleep 3; exec cat) <slow_disk >whole_checkpoint &
reader=$!
expect 3 check raymond --sites 4 --permits 1 --requests 1 --links fifo --json --limit 100ms --checkpoint slow_disk
wait $reader
expect 0 check raymond --sites 4 --permits 1 --requests 1 --links fifo --json --resume whole_checkpoint
counts | cmp -s - whole.txt || fail "other counts after a slow checkpoint than $(cat whole.txt)"

# Only the program that wrote a checkpoint knows what its states mean.
cp "$ALLOT" other_build
id_at=$(readelf -SW "$ALLOT" | sed -n 's/.*build-id *NOTE *[0-9a-f]* *\([0-9a-f]*\).*/\1/p')
# Eight bytes: a single one may be the same by chance.
printf 'another1' | dd of=other_build bs=1 seek=$((0x$id_at + 20)) conv=notrunc 2>/dev/null
./other_build check raymond --sites 5 --permits 3 --full --resume stopped >out.txt 2>err.txt
[ $? -eq 2 ] || fail 'a checkpoint of another build was resumed'
has 'another build wrote this checkpoint'

# refused TEXT ARGUMENTS...
refused() {
    local text=$1
    shift
    expect 2 "$@"
    [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] || fail "allot $*: wanted one line on standard error"
    has "$text"
}
other='check raymond --sites 3'
refused '--resume stopped: this is a checkpoint of `protocol raymond' $other --resume stopped
refused '--resume missing: no such file; write that of --checkpoint' $other --resume missing
refused '--resume whole.txt: this is no checkpoint; write one with --checkpoint' $other --resume whole.txt
head -c 1000 stopped >part
refused '--resume part: this checkpoint is damaged or incomplete' check raymond --resume part
cp stopped damaged
printf x | dd of=damaged bs=1 seek=500 conv=notrunc 2>/dev/null
refused '--resume damaged: this checkpoint is damaged or incomplete' check raymond --resume damaged
refused '--checkpoint no/file: cannot write this file' check raymond --checkpoint no/file
refused '--checkpoint -: a checkpoint needs a file; write --checkpoint FILE' check raymond --checkpoint -
refused '--resume .: this is no checkpoint; write one with --checkpoint' $other --resume .
refused '--resume /dev/null: this is no checkpoint; write one with --checkpoint' $other --resume /dev/null
refused '--checkpoint file: a checkpoint needs the exact store' check raymond --store fingerprint --checkpoint file
same='check raymond --sites 5 --permits 3 --full'
refused '--threads 63: the checkpoint needs' $same --resume stopped --threads 63
refused '--memory 1K: the checkpoint alone has' $same --resume stopped --memory 1K
[ -z "$(ls stopped.* file* 2>/dev/null)" ] || fail 'files were left behind'

exit $failed
