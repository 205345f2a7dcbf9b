# Everything that docs/operations.md tells operators to type works with real daemons, and prints what the page says. A
# section begins with three hosts that serve, and after it all hosts that run serve again.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

page=$ALLOT_SOURCE_DIR/docs/operations.md
export ALLOT_SOCKET
declare -A runs=()
# The page names the lease.
times=$'lease = "3s"\nsilence = "3s"\nreturn_within = "4500ms"'

begin_section() {
    local i
    for i in "${!runs[@]}"; do kill_machine "$i"; done
    runs=()
    agree "$times"
    configure 3
    start_all
    for i in 1 2 3; do
        runs[$i]=1
        run $i --lock before --timeout 20s -- true || fail "$1: h$i does not serve in the beginning"
    done
    rm -rf old && cp -r h3 old
    for i in 4 5; do newcomer $i; done
}

end_section() {
    local i
    for i in "${!runs[@]}"; do
        wait_until 30 "$1: h$i serves in the end" serves "$i"
    done
}
serves() { "$ALLOT" run --socket "./h$1.sock" --lock "after" --timeout 1s -- true 2>/dev/null; }

# happens EVENT: a line of the page that nobody types.
happens() {
    local i
    i=$(grep -o 'h[0-9]' <<<"$1" | tr -d h)
    case $1 in
        *' is lost') kill_machine "$i" && unset "runs[$i]" ;;
        *' is empty') rm -rf "h$i" ;;
        *' is put back') stop "$i" && rm -rf "h$i" && cp -r old "h$i" && start "$i" ;;
        *' has engine = '*) has_engine "$i" "${1#* has }" ;;
        *' has lease = '*) sed -i "s/^lease = .*/${1#* has }/" "h$i.toml" ;;
        *) fail "nobody knows what happens: $1" ;;
    esac
}

# has_engine HOST LINE: its [register] has this engine. An etcd is there when the first host has it.
has_engine() {
    local former=$register
    [[ $2 != *etcd* ]] || [ "${#etcd_process[@]}" -gt 0 ] || fresh_etcd
    eval "$(tr -d ' ' <<<"$2")"
    agree "$times"
    write_config "$1"
    register=$former
    engine=hosts
}

# types HOST COMMAND: its output goes to typed.txt.
types() {
    local i=$1 command=$2
    command=${command//\/etc\/allot\/host.toml/h$i.toml}
    command=$(sed -E "s/\bh([0-9]):7400/$loopback:740\1/" <<<"$command")
    case $command in
        'systemctl start allot') start "$i" && runs[$i]=1 ;;
        'systemctl stop allot') stop "$i" && unset "runs[$i]" ;;
        'systemctl restart allot') stop "$i" && start "$i" ;;
        'allot '*)
            ALLOT_SOCKET=./h$i.sock timeout 30 "$ALLOT" ${command#allot } >typed.txt 2>&1 ||
                fail "$command: $(cat typed.txt)"
            ;;
        *) fail "nobody knows how to type: $command" ;;
    esac
    [[ $command != 'allot cluster leave' ]] || ends "$i"
}
ends() {
    wait_until 20 "h$1 ends" not_running "${process[$1]}"
    unset "runs[$1]"
}

section=''
commands=0
while IFS= read -r line; do
    case $line in
        '## '*)
            [ -z "$section" ] || end_section "$section"
            section=${line#\#\# }
            begin_section "$section"
            ;;
        '    # '*) happens "${line#    # }" ;;
        '    h'[0-9]'$ '*)
            types "${line:5:1}" "${line#*\$ }"
            commands=$((commands + 1))
            ;;
        '    '*)
            wanted=${line#    }
            contains_line() { grep -qF -- "$wanted" typed.txt; }
            contains_line || fail "$section: the page promises \"$wanted\", printed is: $(cat typed.txt)"
            ;;
    esac
done <"$page"
end_section "$section"
[ "$commands" -gt 30 ] || fail "only $commands commands were found in the page"
exit 0
