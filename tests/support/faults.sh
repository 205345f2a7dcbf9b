# Faults of hosts and their surroundings, for tests that draw them at random; after tests/cluster/lib.sh. A fault KIND is a pair
# of functions, KIND_begins HOST and KIND_ends HOST. A host has one fault at a time; several hosts may have one at once.

# strike [AT_ONCE [SECONDS]]: faults begin at so many hosts, each drawn from `kinds` (every kind once before any comes again) and
# from the first $among hosts, last for less than SECONDS (4), and end. Then all of these hosts must serve.
declare -a kinds=() deck=()
declare -A made=() # of each kind
strikes=0
struck_last=()  # as KIND:HOST
strike() {
    local i kind each victims struck=() number=$((++strikes))
    shuffle $(seq "${among:-$hosts}")
    victims=("${drawn[@]:0:${1:-1}}")
    for i in "${victims[@]}"; do
        if [ ${#deck[@]} -eq 0 ]; then
            shuffle "${kinds[@]}"
            deck=("${drawn[@]}")
        fi
        kind=${deck[0]} deck=("${deck[@]:1}")
        made[$kind]=$((${made[$kind]:-0} + 1))
        struck+=("$kind:$i")
        "${kind}_begins" "$i"
    done
    sleep $((RANDOM % ${2:-4})).$((RANDOM % 10))
    struck_last=("${struck[@]}")
    for each in "${struck[@]}"; do "${each%:*}_ends" "${each#*:}"; done
    # A host that the others have removed meanwhile refuses those who wait there, and then joins again.
    for i in $(seq "${among:-$hosts}"); do
        wait_until 60 "h$i serves after ${struck[*]}" run "$i" --lock "after-$number" --timeout 20s -- true 2>>refused.txt
    done
}
# shuffle WORD..., draw WORD...: sets $drawn. Not in a subshell, where $RANDOM forgets its seed.
shuffle() {
    local at
    drawn=()
    while [ $# -gt 0 ]; do
        at=$((RANDOM % $#))
        drawn+=("${@:at+1:1}")
        set -- "${@:1:at}" "${@:at+2}"
    done
}
draw() { drawn=${*:RANDOM % $# + 1:1}; }
show_strikes() { local kind; for kind in "${kinds[@]}"; do echo "$kind: ${made[$kind]:-0}"; done; }

# --- Processes

killed_daemon_begins() { kill_host "$1"; }
killed_daemon_ends() { start "$1"; }

killed_guardian_begins() { pkill -KILL -f "allot guardian --folder $PWD/h$1 "; }
killed_guardian_ends() { :; }

# All that runs there, but for sessions of the crowd: these look at the time of their lease.
dead_machine_begins() {
    kill_machine "$1"
    kill_jobs "$1"
}
dead_machine_ends() { start "$1"; }

stopped_daemon_begins() { kill -STOP "${process[$1]}"; }
stopped_daemon_ends() { kill -CONT "${process[$1]}"; }

# --- Links

links_of() { local pair; for pair in "${!proxy_in[@]}"; do [[ ,$pair, != *,$1,* ]] || echo "$pair"; done; }
cut_links_begins() {
    case $((RANDOM % 2)) in
        0) fault blackhole $(links_of "$1") ;;
        1) cut_off $(links_of "$1") ;;
    esac
}
cut_links_ends() { fault heal $(links_of "$1"); }

# --- Disks

# With $DISK_FAULTS, before `start`.
with_disk_faults() { within[$1]="env SLOW_WHILE=$PWD/slow$1 FULL_WHILE=$PWD/full$1 LD_PRELOAD=$DISK_FAULTS"; }
slow_disk_begins() { touch "slow$1"; }
slow_disk_ends() { rm -f "slow$1"; }
full_disk_begins() { touch "full$1"; }
full_disk_ends() { rm -f "full$1"; }

# damage HOST FILE KIND: a wrong bit, cut off, empty, gone, or as it is in the folder earlierHOST. $did says it.
damage() {
    local file=$2 size at bit=$((RANDOM % 8))
    size=$(stat -c %s "$file")
    case $3 in
        bit)
            at=$(((RANDOM * 32768 + RANDOM) % size))
            did="bit $bit of byte $at of $file ($size bytes) is wrong"
            python3 - "$file" "$at" "$bit" <<'PYTHON'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(int(sys.argv[2]))
    file.write(bytes([byte ^ 1 << int(sys.argv[3])]))
PYTHON
            ;;
        cut) did="$file ends after $((size / 2)) of $size bytes"; truncate -s $((size / 2)) "$file" ;;
        empty) did="$file is empty"; : >"$file" ;;
        gone) did="$file is gone"; rm "$file" ;;
        earlier) did="$file is as it was earlier"; [ ! -e "earlier$1/${file#*/}" ] || cp "earlier$1/${file#*/}" "$file" ;;
    esac
}
# Files of a state folder that can be damaged.
files_of() { local one; for one in "h$1"/*; do [ ! -s "$one" ] || [ ! -f "$one" ] || echo "$one"; done; }
damages=(bit cut empty gone earlier)
# start_damaged HOST FILE: its daemon is running now, or has refused to start, with the name of the file.
start_damaged() {
    local i=$1 said code
    said=$(wc -l <"h$i.log")
    ${within[$i]:-} "$ALLOT" node --config "h$i.toml" 2>>"h$i.log" &
    process[i]=$!
    started+=($!)
    wait_until 30 "h$i starts or is refused: $did" has_decided "$i"
    running "${process[$i]}" && return
    wait "${process[$i]}"
    code=$?
    [ $code -eq 2 ] || [ $code -eq 1 ] || fail "the daemon ends with $code: $did"
    tail -n +$((said + 1)) "h$i.log" | grep -qF "${2#*/}" || fail "it does not name the file: $did: $(tail -n 1 "h$i.log")"
}
has_decided() { not_running "${process[$1]}" || "$ALLOT" status --socket "./h$1.sock" >/dev/null 2>&1; }
# put_back HOST: its folder as keep_folder has found it.
keep_folder() { rm -rf "kept$1" && cp -r "h$1" "kept$1"; }
put_back() { rm -rf "h$1" && mv "kept$1" "h$1" && rm -f "h$1"/*.sock; }

# The machine dies, and its disk is damaged. A host that refuses to start gets its file back in the end; another one goes on
# with what it has.
damaged_disk_begins() {
    local file
    dead_machine_begins "$1"
    keep_folder "$1"
    draw $(files_of "$1")
    file=$drawn
    draw "${damages[@]}"
    damage "$1" "$file" "$drawn"
    start_damaged "$1" "$file"
    echo "h$1 $(running "${process[$1]}" && echo 'goes on' || echo 'is refused'): $did"
}
damaged_disk_ends() {
    running "${process[$1]}" && return
    put_back "$1"
    start "$1"
}

# --- Hostile hosts and strangers

# A process with the name and the certificate of a host, whose daemon is gone, sends each other host what cannot be right.
hostilities=(frame site misses view ballot status)
hostile_host_begins() {
    draw "${hostilities[@]}"
    kill_host "$1"
    "$HOSTILE" "h$1.toml" "$drawn" $((strikes * 1000)) >"hostile$1.txt" 2>&1
    echo "h$1 is hostile ($drawn): $(grep -c '^h[0-9].*cannot be right' "hostile$1.txt") of the others have closed their link"
}
hostile_host_ends() { start "$1"; }

# Leases that the guardian keeps are changed while there is no daemon.
forged_leases_begins() {
    kill_host "$1"
    "$FORGER" "$PWD/h$1" >"forged$1.txt" 2>&1
}
forged_leases_ends() { start "$1"; }

# --- Programs

# A thing that goes on until silent HOST: noise HOST COMMAND...
declare -a noise_of=()
noise() {
    local i=$1
    shift
    "$@" <silence.fifo >>noise.txt 2>&1 &
    noise_of[i]=$!
    started+=($!)
}
silent() {
    kill -KILL "${noise_of[$1]}" 2>/dev/null
    wait "${noise_of[$1]}" 2>/dev/null
}
with_noise() { rm -f silence.fifo && mkfifo silence.fifo && exec {silence}<>silence.fifo; }

strangers_begins() { noise "$1" "$STRANGERS" "$loopback" $((7400 + $1)) "${strangers:-300}"; }
strangers_ends() { silent "$1"; }
idlers_begins() { noise "$1" "$IDLERS" "./h$1.sock" 2000; }
idlers_ends() { silent "$1"; }
askers_begins() { noise "$1" "$ASKERS" "./h$1.sock" 4 100; }
askers_ends() { silent "$1"; }
namers_begins() { noise "$1" "$NAMERS" "strike$strikes-" 50000 "./h$1.sock"; }
namers_ends() { silent "$1"; }

# --- Jobs: commands of `allot run`, one after another, that compete for $job_locks locks and $job_units units of `slots`.

job_locks=4
job_units=2
# jobs HOST NUMBER: so many at a time, until the file jobs.end is there. Each process that belongs to them has a tag.
tag_of() { echo "jobs-of-$PWD/h$1/"; }
jobs_at() {
    local number
    for number in $(seq "$2"); do
        job_loop "$1" $((${seed:-0} * 100 + $1 * 10 + number)) 2>>killed.txt &
        started+=($!)
        job_loops+=($!)
    done
}
declare -a job_loops=()
job_loop() {
    local i=$1 what kind ms name code
    RANDOM=$2
    while [ ! -e jobs.end ]; do
        what="--lock job$((RANDOM % job_locks))"
        [ $((RANDOM % 5)) -gt 0 ] || what='--permit slots'
        draw usual usual deaf forks stops
        kind=$drawn
        ms=$((RANDOM % 300))
        [ $((RANDOM % 4)) -gt 0 ] || ms=7000 # longer than a dead host is waited for
        [ "$what" = '--permit slots' ] && name="slots=$job_units" || name=${what#--lock }
        ASKED=$(date +%s%6N) "$ALLOT" run --socket "$PWD/h$i.sock" $what --timeout 120s -- \
            "$JOB" "$name" "$kind" $ms "$(tag_of "$i")" 2>>"jobs$i.err"
        code=$?
        [ $code -ne 121 ] || echo "h$i does not serve $what for two minutes" >>wrong
        echo $code >>"jobs$i.codes"
        [ $code -lt 119 ] || sleep 0.2
    done
}
jobs_end() { touch jobs.end; wait "${job_loops[@]}"; }
# Wrappers of a host, and all that they have started; children before their parents.
wrappers_of() { pgrep -f "run --socket $PWD/h$1.sock .*$(tag_of "$1")"; }
all_jobs_of() { pgrep -f -- "$(tag_of "$1")" | sort -nr; }
commands_of() { pgrep -f "job .* $(tag_of "$1")" | grep -vxF "$(wrappers_of "$1")" | sort -nr; }
kill_jobs() { kill -KILL $(all_jobs_of "$1") 2>/dev/null; }

killed_wrappers_begins() { kill -KILL $(wrappers_of "$1") 2>/dev/null; }
killed_wrappers_ends() { :; }
killed_commands_begins() { kill -KILL $(commands_of "$1") 2>/dev/null; }
killed_commands_ends() { :; }
declare -a stopped_wrappers=()
stopped_wrappers_begins() {
    stopped_wrappers[$1]=$(wrappers_of "$1")
    kill -STOP ${stopped_wrappers[$1]} 2>/dev/null
}
stopped_wrappers_ends() { kill -CONT ${stopped_wrappers[$1]} 2>/dev/null; }
stopped_both_begins() {
    stopped_wrappers_begins "$1"
    stopped_daemon_begins "$1"
}
stopped_both_ends() {
    stopped_daemon_ends "$1"
    stopped_wrappers_ends "$1"
}
# Only the guardian is left.
left_alone_begins() {
    killed_wrappers_begins "$1"
    kill_host "$1"
}
left_alone_ends() { start "$1"; }

# judge_jobs: what the jobs have noted; fences of a lock only grow. $job_grants, $job_wait (ms).
judge_jobs() {
    local number
    [ ! -e wrong ] || fail "$(sort wrong | uniq -c)"
    for number in $(seq 0 $((job_locks - 1))); do
        cut -d' ' -f1 "job$number.grants" | sort -nuc 2>fences.txt ||
            fail "the fences of job$number do not grow: $(cat fences.txt)"
    done
    job_grants=$(cat ./*.grants | wc -l)
    job_wait=$(cat ./*.grants | cut -d' ' -f2 | sort -n | tail -n 1)
}
