# The register in etcd, with three members and TLS, when etcd errs: members that are down, hang or are slow, a lost
# majority, compaction, certificates.
engine=etcd
etcd_members=3
etcd_tls=$'certificate = "client.pem"\nkey = "client.key"\nauthority = "etcd-ca.pem"'
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }
serves() { run "$1" --lock a --permit builds=2 --timeout 30s -- true 2>why.txt || fail "h$1 is not served $2: $(cat why.txt)"; }
goes_on() { running "$(cat job.in)" || fail "$1: the command was stopped: $(cat job.err)"; }
leader() {
    local i
    for i in "${!etcd_process[@]}"; do
        etcd_page "$i" /metrics | grep -q '^etcd_server_is_leader 1' && echo "$i" && return
    done
}

etcd_certificates
agree $'lease = "6s"\ngrace = "1s"\nsilence = "2s"'
# h2 reaches the first member through a proxy, and the others as they are.
etcd_through_proxy 2 1
etcd_at[2]+="\"https://$(etcd_address 2)\", \"https://$(etcd_address 3)\""
configure 2
with_page 1
start_all
for i in 1 2; do serves $i "in the beginning"; done
hold job 1 --lock kept
ask guest 2 --lock shared
wait_until 20 "the guest is granted" granted guest

# --- Members that are down or hang. Nothing happens.
for i in 1 2 3; do
    stop_etcd $i
    serves 1 "while member $i is down"
    serves 2 "while member $i is down"
    start_etcd $i
    etcd_works
done
knows_leader() { hung=$(leader) && [ -n "$hung" ]; }
wait_until 20 "etcd has a leader" knows_leader
kill -STOP "${etcd_process[$hung]}"
serves 1 "while the leader hangs"
sleep 3
serves 2 "while the leader hangs"
goes_on "the leader hung"
kill -CONT "${etcd_process[$hung]}"

# --- A slow member, and one that hears nothing: h2 goes on with another one.
fault 'delay 200' 2,e1
serves 2 "by a slow etcd"
fault blackhole 2,e1
sleep 3
serves 2 "by another member"
fault heal 2,e1

# --- The majority is away for a short time: nothing happens. A lease has three seconds for that, and for the election of a
# leader afterwards.
etcd_works
kill -STOP "${etcd_process[1]}" "${etcd_process[2]}"
sleep 0.7
kill -CONT "${etcd_process[1]}" "${etcd_process[2]}"
sleep 3
goes_on "the majority was away for a moment"
running "$(cat guest.in)" || fail "the guest was stopped: $(cat guest.err)"

# --- The majority is away for three leases: commands are stopped, and the hosts say why. Then all serve again.
stop_etcd 1
stop_etcd 2
wait_until 30 "the command without a register is stopped" not_running "$(cat job.in)"
wait "${asker[job]}"
[ $? -eq 122 ] || fail "the wrapper does not say that the lease was lost: $(cat job.err)"
wait_until 20 "h1 says what is wrong" says 1 "https://$(etcd_address 1): Connection refused"
page /health >health.txt
grep -q '^HTTP.* 503' health.txt || fail "a host without a register says that it is healthy: $(cat health.txt)"
wait_until 20 "h1 says that there is no leader" says 1 'etcd has no leader; a majority'
wait_until 20 "the log of h1 says so" contains 'error: the register cannot be used: etcd does not serve this host' h1.log
sleep 9
run 1 --lock a --timeout 500ms -- true 2>/dev/null
[ $? -eq 121 ] || fail "a host without a register grants"
# Meanwhile a daemon starts: it waits, and says so.
stop 1
start 1
wait_until 20 "h1 says that it waits" says 1 "etcd"
start_etcd 1
start_etcd 2
etcd_works
for i in 1 2; do serves $i "when the majority is back"; done
page /health | grep -q '^ok' || fail "not healthy: $(page /health)"

# --- Compaction while the watch is down.
stop_all_etcd
start_all_etcd
revision=$(etcd_does /v3/kv/range "{\"key\":\"$etcd_key\"}" | grep -o '"revision":"[0-9]*"' | grep -o '[0-9]*')
etcd_does /v3/kv/compaction "{\"revision\":\"$revision\",\"physical\":true}" >/dev/null
stop 2
start 2
for i in 1 2; do serves $i "after a compaction"; done

# --- A certificate that etcd refuses, and one of etcd's that the host refuses.
authority other-ca
cp client.pem client.good
cp client.key client.key.good
sign client "extendedKeyUsage=clientAuth" other-ca
stop 2
start 2
wait_until 20 "h2 says that its certificate is refused" says 2 'certificate'
cp client.good client.pem
cp client.key.good client.key
sed -i 's/etcd-ca.pem/other-ca.pem/' h2.toml
stop 2
start 2
wait_until 20 "h2 says that it refuses etcd's certificate" says 2 'its certificate is refused'
sed -i 's/other-ca.pem/etcd-ca.pem/' h2.toml
stop 2
start 2
serves 2 "with good certificates"
exit 0
