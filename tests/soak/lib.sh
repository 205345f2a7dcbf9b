# Functions for soaks. Each runs `allot` and fails unless it finds the given verdict and counts. A different number of
# states or transitions means that allot explores different runs: write the new count only if the change is intended.
# `-` leaves a count open; a comment beside the call says why. The output of the last command stays in found.txt.
set -euo pipefail

memory=16G          # limit of a check
bounded_memory=512M # limit of a check that goes as far as its memory

complain() {
    echo "FAILED: $*"
    cat found.txt
    exit 1
}

# expect_code WANTED CODE
expect_code() { [ "$2" -eq "$1" ] || complain "exit code $2, wanted $1"; }

# expect_count WHAT WANTED FOUND: FOUND may have commas between its thousands.
expect_count() { [ "$2" = - ] || [ "${3//,/}" = "$2" ] || complain "$3 $1, wanted $2"; }

# expect_at_least LEAST WHAT FOUND
expect_at_least() { [ "$1" = - ] || [ "${3//,/}" -ge "$1" ] || complain "$3 $2, wanted at least $1"; }

# holds STATES TRANSITIONS PROTOCOL FLAGS...: the check explores every run, and all properties hold. Afterwards
# $found_states and $found_transitions are its counts.
holds() {
    local states=$1 transitions=$2 code=0 found
    shift 2
    echo "allot check $*"
    "$ALLOT" check "$@" --memory "$memory" >found.txt || code=$?
    expect_code 0 "$code"
    found=$(tail -n 1 found.txt)
    echo "$found"
    [[ $found =~ ^holds:\ ([0-9,]+)\ states,\ ([0-9,]+)\ transitions,\  ]] || complain "no verdict"
    found_states=${BASH_REMATCH[1]} found_transitions=${BASH_REMATCH[2]}
    expect_count states "$states" "$found_states"
    expect_count transitions "$transitions" "$found_transitions"
}

# clean RUNS STEPS PROTOCOL FLAGS...: none of RUNS random runs violates a property, and together they take at least
# STEPS steps. The exact number depends on the order in which steps are drawn.
clean() {
    local runs=$1 steps=$2 code=0 found
    shift 2
    echo "allot swarm $* --runs $runs"
    "$ALLOT" swarm "$@" --runs "$runs" >found.txt || code=$?
    expect_code 0 "$code"
    found=$(tail -n 1 found.txt)
    echo "$found"
    [[ $found =~ ^clean:\ ([0-9,]+)\ runs,\ ([0-9,]+)\ steps,\  ]] || complain "no verdict"
    local found_runs=${BASH_REMATCH[1]} found_steps=${BASH_REMATCH[2]}
    expect_count runs "$runs" "$found_runs"
    expect_at_least "$steps" steps "$found_steps"
}

# lasting RUNS STEPS PROTOCOL FLAGS...: as `clean`, and each run has at least 50 grants and 3 faults (`--ticks 30`: and 30
# ticks) before it closes; allot ends with 3 if one has not. Every probe of the protocol is reached.
lasting() {
    local runs=$1 steps=$2
    shift 2
    clean "$runs" "$steps" "$@" --grants 50 --faults 3
    ! grep -E ' never$' found.txt || complain "this probe was never reached"
}

# changing VIEWS RUNS STEPS PROTOCOL FLAGS...: as `clean`, and together the runs have at least VIEWS changes of the view.
changing() {
    local views=$1 found
    shift
    clean "$@"
    found=$(tr '\n' ' ' <found.txt)
    [[ $found =~ \ views\ ([0-9,]+) ]] || complain "no count of views"
    echo "views ${BASH_REMATCH[1]}"
    expect_at_least "$views" "changes of the view" "${BASH_REMATCH[1]}"
}

# mutation PROPERTY PROTOCOL --without SWITCH FLAGS...: 20,000 runs are enough to find what the switch does, and a scenario of
# the repository shows it as well.
mutation() {
    local property=$1 protocol=$2 switch=$4
    shift
    finds "$property" 20000 "$@"
    grep -qrE "^protocol $protocol .*without=([a-z-]+,)*$switch(,| |\$)" "$ALLOT_SOURCE_DIR/scenarios" ||
        complain "no scenario shows $protocol without $switch"
}

# finds PROPERTY RUNS PROTOCOL FLAGS...: one of RUNS random runs violates this property, and its scenario replays.
finds() {
    local property=$1 runs=$2 code=0
    shift 2
    echo "allot swarm $* --runs $runs, which must violate $property"
    rm -f scenario.txt
    "$ALLOT" swarm "$@" --runs "$runs" --out scenario.txt >found.txt || code=$?
    expect_code 1 "$code"
    [[ $(head -n 1 scenario.txt) == "# $property: "* ]] || complain "it violates something else: $(head -n 1 scenario.txt)"
    "$ALLOT" play scenario.txt >found.txt || complain "the scenario does not replay"
}

# bounded STATES PROTOCOL FLAGS...: nothing is violated before $bounded_memory is full. How many states fit depends on the
# machine, so STATES is only a lower bound.
bounded() {
    local states=$1 code=0 found
    shift
    echo "allot check $*, as far as the memory goes"
    "$ALLOT" check "$@" --memory "$bounded_memory" >found.txt || code=$?
    found=$(tail -n 1 found.txt)
    echo "$found"
    expect_code 3 "$code"
    grep -q '^Bounded: the memory' found.txt || complain "something else than the memory ended the check"
    [[ $found =~ ^bounded:\ ([0-9,]+)\ states,\  ]] || complain "no verdict"
    expect_at_least "$states" states "${BASH_REMATCH[1]}"
}
