# A host that does not reach etcd reads the register through another one: it keeps its lease, and its commands go on. When
# no host reaches etcd, they are stopped.
engine=etcd
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

for i in 1 2 3; do etcd_through_proxy $i 1; done
agree $'lease = "3s"\ngrace = "500ms"'
configure 3
start_all
says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }
serves() { run "$1" --lock a --permit builds=2 --timeout 30s -- true 2>why.txt || fail "h$1 is not served $2: $(cat why.txt)"; }
for i in 1 2 3; do serves $i "in the beginning"; done
hold job 3 --lock kept

cut_off 3,e1
wait_until 20 "h3 says through whom it reads" says 3 'etcd does not serve this host, which reads the register through h[12]: http://'
sleep 4
running "$(cat job.in)" || fail "the command of a host that reads through another one was stopped: $(cat job.err)"
for i in 1 2 3; do serves $i "while h3 does not reach etcd"; done

# Now only h1 reaches it.
fault blackhole 2,e1
sleep 4
running "$(cat job.in)" || fail "the command was stopped though h1 reaches etcd: $(cat job.err)"
serves 2 "through h1"

# Now nobody does.
fault blackhole 1,e1
wait_until 20 "the command without a register is stopped" not_running "$(cat job.in)"
grants_nothing() {
    run 3 --lock free --timeout 300ms -- true 2>/dev/null
    [ $? -eq 121 ]
}
wait_until 20 "h3 grants nothing without a lease" grants_nothing
fault heal
for i in 1 2 3; do serves $i "when etcd can be reached again"; done
all_is_well() { ! says 3 'does not serve this host'; }
wait_until 10 "h3 reads by itself again" all_is_well
exit 0
