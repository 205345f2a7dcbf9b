# For tests with real daemons: writes their configurations, starts, stops and kills them, and waits with a
# deadline for whatever a test needs. Hosts are h1, h2, ...; all files lie in the current folder.
#
# What may be set before `configure`: semaphores, register, bootstrap, tls (lines of those tables), modes (tables),
# networks (below), and for a link that goes through a fault proxy `proxied A B`.
set -u
shopt -s nullglob

semaphores='builds = 2'
register=''
bootstrap=''
modes=''
tls=''
declare -a process=()       # of each daemon that runs, by number
declare -A own_address=()   # of a host, if not one of the loopback net
declare -A seen_at=()       # "A,B": where host A looks for host B, if not at its own address
declare -A proxy_in=()      # "A,B": descriptor that the proxy between them reads its commands from
declare -a within=()        # what a daemon is started with, by number, in its network
declare -a started=()       # everything that must not outlive the test

# An address of the loopback net that no other test has while this one runs.
loopback=127.$((($$ >> 16 & 63) + 1)).$(($$ >> 8 & 255)).$(($$ & 255))

fail() {
    echo "FAILED: $*"
    for log in h*.log; do
        echo "--- $log"
        tail -n 8 "$log"
    done
    exit 1
}

end_all() {
    local one
    for one in "${started[@]}" $(cat ./*.in 2>/dev/null </dev/null); do
        # Numbers of processes that have ended may belong to others by now. What runs under `timeout` is its child.
        [ "$(readlink "/proc/$one/cwd")" = "$PWD" ] && kill -KILL $(pgrep -P "$one") "$one" 2>/dev/null
    done
    for one in h[0-9]*/guardian.sock; do pkill -KILL -f "allot guardian --folder $PWD/${one%/*} " 2>/dev/null; done
    wait 2>/dev/null
    [ -z "$etcd_data" ] || rm -rf "$etcd_data"
    remove_networks
}
trap end_all EXIT
trap 'fail "the test was told to stop"' TERM INT

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# wait_until SECONDS DESCRIPTION COMMAND...: until the command succeeds.
wait_until() {
    local end=$(($(now_ms) + $1 * 1000)) what=$2
    shift 2
    until "$@"; do
        [ "$(now_ms)" -lt $end ] || fail "waited too long: $what"
        sleep 0.02
    done
}

contains() { grep -qs -- "$1" "$2"; }
running() { kill -0 "$1" 2>/dev/null; }
not_running() { ! running "$1"; }
all_sockets() { printf './h%s.sock ' $(seq "$hosts"); }

# --- Daemons

address_of() { echo "${own_address[$1]:-$loopback:$((7400 + $1))}"; }

# configure N: the files of N hosts.
configure() {
    local i one
    hosts=$1
    [ -z "$networks" ] || own_networks
    [ -n "$register" ] || agree
    # Guardians outlive their daemons for a while. One that ends later would remove the socket of the next.
    for one in h[0-9]*/guardian.sock; do pkill -KILL -f "allot guardian --folder $PWD/${one%/*} "; done
    rm -rf h[0-9]* ./*.in ./*.fifo witness wrong register* moves audit.log
    [ "$engine" != etcd ] || fresh_etcd
    for i in $(seq "$hosts"); do write_config "$i"; done
    if [[ $register == *'engine = "file"'* || $register == *'engine = "etcd"'* ]]; then
        "$ALLOT" cluster init --config h1.toml >/dev/null || fail "no register"
    else
        for i in $(seq "$hosts"); do "$ALLOT" cluster init --config "h$i.toml" >/dev/null || fail "no register"; done
    fi
}

write_config() {
    local i=$1 j
    {
        printf 'host = "h%s"\nsocket = "h%s.sock"\nstate = "h%s"\nhttp = ""\n' "$i" "$i" "$i"
        printf '[register]\n%s\n[bootstrap]\n%s\n' "${register//ENDPOINTS/$(etcd_endpoints "$i")}" "$bootstrap"
        echo '[bootstrap.hosts]'
        for j in $(seq "$hosts"); do echo "h$j = \"$(address_of "$j")\""; done
        printf '[bootstrap.semaphores]\n%s\n%s\n[addresses]\n' "$semaphores" "$modes"
        for j in $(seq "$hosts"); do
            [ -z "${seen_at[$i,$j]:-}" ] || echo "h$j = \"${seen_at[$i,$j]}\""
        done
        [ -z "$tls" ] || printf '[tls]\n%s\n' "${tls//HOST/h$i}"
    } >"h$i.toml"
}

# newcomer HOST: the file of a host that knows nothing of the others; then join HOST KNOWN, with the address of that one.
newcomer() {
    printf 'host = "h%s"\naddress = "%s"\nsocket = "h%s.sock"\nstate = "h%s"\nhttp = ""\n[register]\n%s\n' \
        "$1" "$(address_of "$1")" "$1" "$1" "${register//ENDPOINTS/$(etcd_endpoints "$1")}" >"h$1.toml"
}
join() { timeout 30 "$ALLOT" cluster join "$(address_of "$2")" --config "h$1.toml" 2>&1; }
# members HOST: of the newest view that it knows, as in h1,h2.
members() { "$ALLOT" cluster show --json --socket "./h$1.sock" | tr -d ' \n' | sed 's/.*"members":\[\([^]]*\)\].*/\1/; s/"//g'; }
members_are() { [ "$(members "$1")" = "$2" ]; }
has_member() { [[ ,$(members "$1"), == *,$2,* ]]; }

# agree [TIMES]: the register, in a file or, with engine=hosts, kept by the hosts, or with engine=etcd by etcd; before
# `configure`. A test that is not about time has three times the usual times.
engine=${engine:-file}
agree() {
    register="engine = \"$engine\""
    [ "$engine" != file ] || register+=$'\nfile = "register"'
    [ "$engine" != etcd ] || register+=$'\nendpoints = [ENDPOINTS]\nkey = "/allot/test"'
    bootstrap=${1:-$'lease = "9s"\nsilence = "3s"\nreturn_within = "4500ms"'}
    [ -z "$etcd_tls" ] || register+=$'\n[register.tls]\n'$etcd_tls
}

# start HOST [FLAGS]: its daemon; after this programs can connect.
start() {
    local i=$1
    shift
    plug_in "$i"
    $(in_network "$i") ${within[$i]:-} "$ALLOT" node --config "h$i.toml" "$@" 2>>"h$i.log" &
    process[i]=$!
    started+=($!)
    wait_until 20 "host h$i starts" host_answers "$i"
}

host_answers() {
    running "${process[$1]}" || fail "the daemon of h$1 ended: $(tail -n 1 "h$1.log")"
    "$ALLOT" status --socket "./h$1.sock" >/dev/null 2>&1
}

start_all() {
    local i
    for i in $(seq "$hosts"); do start "$i" "$@"; done
    wait_until 30 "all hosts take part" all_take_part
}
all_take_part() { [ "$("$ALLOT" status --socket ./h1.sock 2>/dev/null | grep -c '^h[0-9].* up  ')" -eq "$hosts" ]; }

# stop HOST: in order, as an init system would.
stop() {
    kill -TERM "${process[$1]}"
    wait_until 20 "host h$1 stops" not_running "${process[$1]}"
    wait "${process[$1]}" || fail "h$1 did not stop in order"

}

# kill_machine HOST NAMES...: everything that runs there, as in a power cut: daemon, guardian, and programs of NAMES. With a
# network of its own the machine says no goodbye: the others hear nothing any more, until it is started.
kill_machine() {
    local i=$1 name
    shift
    pull_cable "$i"
    # At once: neither may see the end of the other; a guardian would end programs, a daemon would start another guardian.
    kill -STOP "${process[$i]}"
    kill -KILL $(pgrep -f "allot guardian --folder $PWD/h$i ") "${process[$i]}"
    wait "${process[$i]}" 2>/dev/null
    for name in "$@"; do kill -KILL "${asker[$name]}" "$(cat "$name.in")"; done
}

kill_host() {
    kill -KILL "${process[$1]}"
    wait "${process[$1]}" 2>/dev/null
}

memory_kb() {
    local i sum=0
    for i in "${process[@]}"; do
        sum=$((sum + $(awk '/^VmRSS/ {print $2}' "/proc/$i/status")))
    done
    echo $sum
}

# with_page HOST: it gets a page, at an address that no other test has; before `start`. Then page PATH [METHOD [HEADERS]],
# each header with \\r\\n at its end; page_name is what the reader calls the host.
with_page() {
    page_host=$1
    page_port=$((20000 + $$ % 10000))
    sed -i "s/^http = .*/http = \"$loopback:$page_port\"/" "h$1.toml"
}
page() {
    $(in_network "$page_host") bash -c "exec 3<>/dev/tcp/$loopback/$page_port || exit 1
        printf '${2:-GET} $1 HTTP/1.1\r\nHost: ${page_name-localhost}\r\n${3:-}Connection: close\r\n\r\n' >&3
        timeout 10 cat <&3" || fail "no page"
}
healthy() { page /health | grep -q '^HTTP.* 200'; }
not_healthy() { ! healthy; }

# --- Networks
#
# networks=own before `configure`: each host has a network of its own, joined to the others by a bridge, and all use TLS.
# Where this user may not make networks, the hosts stay on the loopback net; networks=needed skips the test there. Tests
# that run at once may use the same addresses, since each has a bridge of its own.

networks=${networks:-}
switch=allot$$s # the network with the bridge
declare -a has_network=()

network_of() { echo "allot$$h$1"; }
in_network() { [ -z "${has_network[$1]:-}" ] || echo "ip netns exec $(network_of "$1")"; }

own_networks() {
    local i
    if [ -z "$tls" ]; then
        "$ALLOT" cert --dir certs $(seq -f 'h%g' "$hosts") --force >/dev/null || fail "no certificates"
        tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"'
    fi
    [ ${#has_network[@]} -eq 0 ] || return 0
    remove_networks # of a test that was killed, and had the number of this process
    if make_networks 2>why.txt; then
        for i in $(seq "$hosts"); do
            has_network[i]=1
            own_address[$i]=10.77.0.$i:7400
        done
        return
    fi
    [ "$networks" != needed ] || { echo "skipped: no network namespaces here: $(head -n 1 why.txt)"; exit 77; }
    echo "all hosts are on the loopback net: no network namespaces here: $(head -n 1 why.txt)"
    remove_networks
    networks=''
}
make_networks() {
    local i
    ip netns add "$switch" &&
        ip -n "$switch" link add bridge type bridge && ip -n "$switch" link set bridge up || return 1
    for i in $(seq "$hosts"); do
        ip netns add "$(network_of "$i")" &&
            ip -n "$(network_of "$i")" link set lo up &&
            ip -n "$(network_of "$i")" link add cable type veth peer name "port$i" netns "$switch" &&
            ip -n "$(network_of "$i")" address add "10.77.0.$i/24" dev cable &&
            ip -n "$(network_of "$i")" link set cable up &&
            ip -n "$switch" link set "port$i" master bridge up || return 1
    done
}
remove_networks() {
    local one
    for one in $(ip netns list 2>/dev/null | grep -oE "^allot$$(s|h[0-9]+)\b"); do ip netns delete "$one" 2>/dev/null; done
}

# pull_cable HOST, plug_in HOST: only at the bridge. A kernel whose own end is down for a moment sends nothing for about a
# second after that.
pull_cable() { [ -z "${has_network[$1]:-}" ] || ip -n "$switch" link set "port$1" nomaster; }
plug_in() { [ -z "${has_network[$1]:-}" ] || ip -n "$switch" link set "port$1" master bridge; }

# --- etcd: processes of this test, never the service of the system.
#
# May be set before `agree`: etcd_members, their number; etcd_tls, the lines of [register.tls], with the certificate of all
# members in etcd.pem and etcd.key and the authority in etcd-ca.pem; etcd_at[HOST], endpoints as that host sees them.

etcd_members=${etcd_members:-1}
etcd_tls=${etcd_tls:-}
etcd_data=''
declare -a etcd_process=() # of each member, by number
declare -A etcd_at=()

etcd_scheme() { [ -z "$etcd_tls" ] && echo http || echo https; }
etcd_address() { echo "$loopback:$((2370 + $1))"; }
etcd_endpoints() {
    local i all=''
    for i in $(seq "$etcd_members"); do all+="\"$(etcd_scheme)://$(etcd_address "$i")\", "; done
    echo "${etcd_at[$1]:-$all}"
}

# fresh_etcd: all members, with nothing in them.
fresh_etcd() {
    local i
    command -v etcd >/dev/null || { echo "etcd is not installed"; exit 77; }
    for i in "${!etcd_process[@]}"; do stop_etcd "$i"; done
    [ -n "$etcd_data" ] || etcd_data=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo .)" allot-etcd.XXXXXX)
    rm -rf "${etcd_data:?}"/*
    start_all_etcd
}

# start_etcd MEMBER: its data stays as it is. The pages about its health are at another port, without TLS.
start_etcd() {
    local i=$1 j peers='' secure=()
    for j in $(seq "$etcd_members"); do peers+="e$j=http://$loopback:$((2380 + j)),"; done
    [ -z "$etcd_tls" ] || secure=(--cert-file etcd.pem --key-file etcd.key --client-cert-auth --trusted-ca-file etcd-ca.pem)
    etcd --name "e$i" --data-dir "$etcd_data/$i" "${secure[@]}" --log-level warn \
        --listen-client-urls "$(etcd_scheme)://$(etcd_address "$i")" \
        --advertise-client-urls "$(etcd_scheme)://$(etcd_address "$i")" \
        --listen-peer-urls "http://$loopback:$((2380 + i))" --initial-advertise-peer-urls "http://$loopback:$((2380 + i))" \
        --initial-cluster "${peers%,}" --listen-metrics-urls "http://$loopback:$((2390 + i))" \
        --heartbeat-interval 50 --election-timeout 500 >>"etcd$i.log" 2>&1 &
    etcd_process[i]=$!
    started+=($!)
}
stop_etcd() {
    kill -KILL "${etcd_process[$1]}" 2>/dev/null
    wait "${etcd_process[$1]}" 2>/dev/null
    unset "etcd_process[$1]"
}
# etcd_page MEMBER PATH
etcd_page() {
    (
        exec 3<>"/dev/tcp/$loopback/$((2390 + $1))" || exit 1
        printf 'GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' "$2" >&3
        timeout 5 cat <&3
    ) 2>/dev/null
}
etcd_is_healthy() { etcd_page "$1" /health | grep -q '"health":"true"'; }
# Each member answers that was started.
etcd_works() {
    local i
    for i in "${!etcd_process[@]}"; do wait_until 30 "etcd member $i works" etcd_is_healthy "$i"; done
}

# etcd_certificates: files for etcd_tls, which is set before lib.sh. etcd's gateway shows the certificate of the server to
# the server itself, as a client.
etcd_certificates() {
    command -v openssl >/dev/null || { echo "openssl is not installed"; exit 77; }
    authority etcd-ca && sign etcd "subjectAltName=IP:$loopback,IP:127.0.0.1" etcd-ca &&
        sign client extendedKeyUsage=clientAuth etcd-ca || fail "no certificates"
}
ec_key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
authority() { openssl req -x509 "${ec_key[@]}" -days 2 -subj "/CN=$1" -keyout "$1.key" -out "$1.pem" 2>/dev/null; }
# sign NAME EXTENSION AUTHORITY
sign() {
    openssl req "${ec_key[@]}" -subj "/CN=$1" -keyout "$1.key" -out "$1.csr" 2>/dev/null &&
        openssl x509 -req -in "$1.csr" -CA "$3.pem" -CAkey "$3.key" -CAcreateserial -days 2 -extfile <(echo "$2") \
            -out "$1.pem" 2>/dev/null
}
# etcd_does PATH BODY: what an operator does there, with TLS. The answer must have a header.
etcd_does() {
    local answer
    answer=$(
        {
            printf 'POST %s HTTP/1.0\r\nContent-Length: %s\r\n\r\n%s' "$1" ${#2} "$2"
            sleep 0.3
        } | openssl s_client -quiet -connect "$(etcd_address 1)" -cert client.pem -key client.key -CAfile etcd-ca.pem 2>/dev/null
    )
    grep -q '"header"' <<<"$answer" || fail "etcd refuses $1 $2: $answer"
    echo "$answer"
}
etcd_key=$(printf /allot/test | base64)
stop_all_etcd() { local i; for i in $(seq "$etcd_members"); do stop_etcd "$i"; done; }
start_all_etcd() {
    local i
    for i in $(seq "$etcd_members"); do start_etcd "$i"; done
    etcd_works
}

# --- Programs

# run HOST ARGUMENTS...: `allot run` there.
run() {
    local i=$1
    shift
    timeout 50 "$ALLOT" run --socket "./h$i.sock" "$@"
}

# ask NAME HOST ARGUMENTS...: asks in the background; once it is granted the file NAME.in holds the process that
# uses it, until `let_go NAME`. Its exit code is then in NAME.code, what it said in NAME.err.
declare -A asker=()
ask() {
    local name=$1 i=$2
    shift 2
    rm -f "$name".*
    mkfifo "$name.fifo"
    "$ALLOT" run --socket "./h$i.sock" "$@" -- \
        bash -c "echo \$\$ >$name.new; mv $name.new $name.in; read -r line <$name.fifo" >/dev/null 2>"$name.err" &
    asker[$name]=$!
    started+=($!)
}
granted() { [ -s "$1.in" ]; }
# is_guarded NAME HOST: the guardian of that host knows the process in NAME.in, daemon or not.
is_guarded() { grep -qsx "Pid:[[:space:]]*$(cat "$1.in")" /proc/"$(pgrep -f "allot guardian --folder $PWD/h$2 ")"/fdinfo/*; }
hold() {
    ask "$@"
    wait_until 20 "$1 is granted" granted "$1"
}
let_go() {
    timeout 20 bash -c "echo >$1.fifo" || fail "$1 does not use what it held any more"
    wait "${asker[$1]}" || fail "$1 ended with exit code $?: $(cat "$1.err")"
}

# library NAME HOST [FLAG] WHAT...: the program $HOLDER holds all that through the library, as process ${asker[NAME]}.
# NAME.out says what it holds, or why it holds it no longer, and says so again after each `tell NAME`. It gives
# everything back, and ends, at `tell NAME .`.
declare -A input_of=()
library() {
    local name=$1 socket="./h$2.sock" flag=() input
    shift 2
    [[ $1 != --* ]] || flag=("$1")
    shift ${#flag[@]}
    rm -f "$name".*
    mkfifo "$name.fifo"
    "$HOLDER" "${flag[@]}" "$socket" "$@" <"$name.fifo" >"$name.out" 2>"$name.err" &
    asker[$name]=$!
    started+=($!)
    exec {input}>"$name.fifo"
    input_of[$name]=$input
    wait_until 20 "$name has what it wants" contains '=' "$name.out"
}
tell() { echo "${2:-}" >&"${input_of[$1]}"; }

# waits_for RESOURCE COUNT HOST: so many wait for it, as that host sees it.
waits_for() {
    "$ALLOT" status --socket "./h$3.sock" 2>/dev/null | awk -v r="$1" -v n="$2" \
        '$1 == r && ($2 == "lock" || $2 == "semaphore") && $6 == n { found = 1 } END { exit !found }'
}

# crowd SECONDS SESSIONS SEED [SOCKET...]: in the background, at all hosts if none is named; then crowd_ends. Hosts that
# were just started grant nothing for a lease; the crowd comes after that.
crowd() {
    local seconds=$1 seed=$3 socket
    sessions=$2
    shift 3
    [ $# -gt 0 ] || set -- $(all_sockets)
    for socket in "$@"; do
        timeout 50 "$ALLOT" run --socket "$socket" --lock before-the-crowd --timeout 40s -- true 2>before.err ||
            fail "nothing is granted at $socket: $(cat before.err)"
    done
    timeout $((seconds + 70)) "$CROWD" witness "$seconds" "$sessions" "$seed" "$@" >crowd.out 2>crowd.err &
    crowd_process=$!
    started+=($!)
}
# Only then does it notice nothing but a pause if a daemon is restarted.
crowd_is_there() { wait_until 20 "the crowd of $1 connects" has_sessions "$1"; }
has_sessions() {
    "$ALLOT" status --json --socket ./h1.sock 2>/dev/null | grep -o '"sessions":[0-9]*' |
        awk -F: -v n="$1" '{ sum += $2 } END { exit !(sum > n) }' # with the one who asks
}
crowd_ends() {
    wait $crowd_process || fail "the crowd: $(head -n 5 crowd.err; cat crowd.out)"
    cat crowd.out
    [ "$(awk 'NR == 1 { print $1 }' crowd.out)" -gt $((2 * sessions)) ] || fail "the crowd has hardly been served"
}

# one_token_each LOCK...: all can be had together at every host in turn, and meanwhile none of them elsewhere.
one_token_each() {
    local all i j lock
    all=$(IFS=,; echo "$*")
    for i in $(seq "$hosts"); do
        run "$i" --lock "$all" --timeout 20s -- true || fail "h$i does not get $all: some token is lost"
    done
    hold everything 1 --lock "$all"
    for j in $(seq 2 "$hosts"); do
        for lock in "$@"; do
            run "$j" --lock "$lock" --no-wait -- true 2>/dev/null
            [ $? -eq 120 ] || fail "h$j gets $lock while h1 holds it"
        done
    done
    let_go everything
}

# --- Faults

# proxied A B: what host A says to host B goes through a proxy from now on; before `configure`. A < B, since of two
# hosts the first connects.
proxied() {
    make_proxy "$1" "$2" "$loopback:$((7400 + $2))"
    seen_at[$1,$2]=$(proxy_address "$1" "$2")
}

# make_proxy A B ADDRESS: `fault` knows it as the pair A,B.
make_proxy() {
    mkfifo "proxy$1-$2.fifo"
    "$FAULT_PROXY" 127.0.0.1:0 "$3" <"proxy$1-$2.fifo" >"proxy$1-$2.out" &
    started+=($!)
    local input
    exec {input}>"proxy$1-$2.fifo"
    rm "proxy$1-$2.fifo"
    proxy_in[$1,$2]=$input
    wait_until 10 "a proxy listens" test -s "proxy$1-$2.out"
}
proxy_address() { echo "127.0.0.1:$(head -n 1 "proxy$1-$2.out")"; }

# etcd_through_proxy HOST MEMBER...: that host reaches these members of etcd, and no others, through proxies; `fault` knows
# them as the pairs HOST,eMEMBER. Before `configure`.
etcd_through_proxy() {
    local i=$1 member all=''
    shift
    for member in "$@"; do
        make_proxy "$i" "e$member" "$(etcd_address "$member")"
        all+="\"$(etcd_scheme)://$(proxy_address "$i" "e$member")\", "
    done
    etcd_at[$i]=$all
}

# fault COMMAND PAIR...: tells the proxies between these hosts ("1,2"), or all of them.
fault() {
    local command=$1 pair
    shift
    [ $# -gt 0 ] || set -- "${!proxy_in[@]}"
    for pair in "$@"; do echo "$command" >&"${proxy_in[$pair]}"; done
}

# cut_off PAIR...: these links break, and none is made again until `fault heal`.
cut_off() {
    fault refuse "$@"
    fault cut "$@"
}

# case_ends: `first` ends, which holds the permit `single` in the case $case; all links are healed, and then every host
# gets the permit.
case_ends() {
    local i
    kill -KILL "${asker[first]}" "$(cat first.in)" 2>/dev/null
    wait "${asker[first]}" 2>/dev/null
    fault heal
    for i in $(seq "$hosts"); do
        run "$i" --permit single --timeout 30s -- true 2>next.err || fail "$case: h$i gets no permit in the end: $(cat next.err)"
    done
}

# crowd_stops: it must still be there, and ends now. longest_wait: of all its requests, in ms.
crowd_stops() {
    running "$crowd_process" || fail "the crowd ended before all of it was over: $(head -n 5 crowd.err; cat crowd.out)"
    kill -TERM "$crowd_process"
    crowd_ends
}
longest_wait() { grep -o 'longest wait [0-9]*' crowd.out | tr -dc '0-9'; }
