# The pool in simulations, from arbitrary starts and with faults of memory: it recovers from every fault and violates
# nothing.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
# Ten thousand simulated starts, on trees of all shapes: twenty in each run, each recovered from before the next. A fault may
# have doubled the timeout up to 512 hops for each site.
thrown_about() {
    local sites=$1 seeds=$2 apart=$((600 * $1)) times fault
    times=$(for fault in $(seq 1 19); do printf '%dms,' $((fault * apart)); done)
    for tree in chain star binary; do
        echo "allot sim tree-pool --sites $sites --tree $tree --start arbitrary --corrupt-at ... --seeds $seeds"
        "$ALLOT" sim tree-pool --sites "$sites" --tree "$tree" --units 4 --max-request 2 --cmax 2 --noise 2 \
            --start arbitrary --corrupt-at "${times%,}" --time "$((20 * apart))ms" --latency 1ms --tick 1ms \
            --hold 2ms --think exponential:2ms --seeds "$seeds" >found.txt || complain "exit code $?, wanted 0"
        grep -A 4 '^corruptions' found.txt
        awk -v wanted=$((20 * seeds)) '{ gsub(",", "") } /^corruptions/ { faults = $2 } /^  recovered from/ { recovered = $3 }
            END { exit !(faults == wanted && recovered == wanted) }' found.txt || complain "wanted $((20 * seeds)) of both"
    done
}
thrown_about 2 60
thrown_about 4 50
thrown_about 8 30
thrown_about 16 20
thrown_about 32 6
thrown_about 64 2
# Delays that vary, so that timers fire too early; programs that hold for long, also what a reset has taken from them; faults close
# together.
in_turmoil() {
    local seeds=$1
    shift
    for tree in chain star binary; do
        for option in taint drain pacing; do
            echo "allot sim tree-pool --tree $tree --$option on $* --seeds $seeds"
            "$ALLOT" sim tree-pool --tree "$tree" --units 4 --max-request 2 --cmax 2 --noise 2 --$option on \
                --start arbitrary --verify 1 --seeds "$seeds" "$@" >found.txt || complain "exit code $?, wanted 0"
        done
    done
}
for sites in 2 4 8 16; do
    in_turmoil 20 --sites $sites --latency exponential:5ms --time 60s
    in_turmoil 20 --sites $sites --latency exponential:5ms --timeout 2 --time 60s
    in_turmoil 20 --sites $sites --hold 2s --think 1s --corrupt-at 2s,3s,3.2s,3.25s --time 60s
    in_turmoil 20 --sites $sites --latency exponential:2ms --hold exponential:500ms --corrupt-at 2s,2.1s,2.5s,3s --time 60s
done
