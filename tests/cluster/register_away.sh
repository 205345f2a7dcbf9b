# A majority of the register stops: of its voters, or of the members of etcd. For (L - g - L/3) / 2 nothing happens. For 3 L
# the programs that use exclusive resources are stopped, and those in the mode `fence` go on. Then all serve again.
engine=${engine:-hosts}
etcd_members=3
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

[ -z "$etcd_tls" ] || etcd_certificates
agree $'lease = "6s"\ngrace = "1s"\nsilence = "2s"'
modes='[[bootstrap.mode]]
names = ["cache-*"]
mode = "fence"'
configure 3
start_all
[ "$engine" != etcd ] || etcd_works
# majority SIGNAL: two of the three that keep the register. The programs are at h1.
majority() {
    if [ "$engine" = etcd ]; then
        kill "-$1" "${etcd_process[1]}" "${etcd_process[2]}"
    else
        kill "-$1" "${process[2]}" "${process[3]}"
    fi
}
served() { run "$1" --lock "of-h$1" --permit builds=1 --timeout 30s -- true 2>why.txt || fail "h$1 is not served $2: $(cat why.txt)"; }

hold strong 1 --lock db
hold soft 1 --lock cache-1
hold guest 1 --permit builds=1
for i in 1 2 3; do served $i "in the beginning"; done

majority STOP
sleep 1.5
majority CONT
sleep 4
for name in strong soft guest; do
    running "$(cat $name.in)" || fail "$name was stopped, though the register was away for 1.5 s only: $(cat $name.err)"
done
for i in 1 2 3; do served $i "after a short time without the register"; done

majority STOP
began=$(now_ms)
for name in strong guest; do
    wait_until 20 "$name is stopped" not_running "$(cat $name.in)"
    wait "${asker[$name]}"
    [ $? -eq 122 ] || fail "$name was not told that its lease was lost: $(cat $name.err)"
done
echo "exclusive users were stopped $(($(now_ms) - began)) ms after the register"
sleep "$(awk -v ms=$((began + 18000 - $(now_ms))) 'BEGIN { print (ms > 0 ? ms / 1000 : 0) }')"
running "$(cat soft.in)" || fail "a program in the mode fence was stopped"
run 1 --lock free --timeout 500ms -- true 2>refused.txt
code=$?
[ $code -eq 121 ] || fail "a host without a register grants, or says something else: $code, $(cat refused.txt)"
majority CONT
for i in 1 2 3; do served $i "when the register is back"; done
run 2 --lock db --timeout 30s -- true || fail "db is not free"
let_go soft
