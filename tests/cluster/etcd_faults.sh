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
# h2 reaches the first member through a proxy, and the others as they are; h3 reaches all of them through proxies.
etcd_through_proxy 2 1
etcd_at[2]+="\"https://$(etcd_address 2)\", \"https://$(etcd_address 3)\""
etcd_through_proxy 3 1 2 3
to_etcd=(3,e1 3,e2 3,e3)  # the ways of h3
configure 3
with_page 1
start_all
for i in 1 2 3; do serves $i "in the beginning"; done
hold job 1 --lock kept
ask guest 2 --lock shared
wait_until 20 "the guest is granted" granted guest
hold distant 3 --lock distant

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

# --- All of etcd is slow, as h3 sees it, for longer than a lease: the command there goes on, and h3 grants. Meanwhile one
# member is slow for h2, and then hears nothing: h2 goes on with another one.
fault 'delay 200' "${to_etcd[@]}"
slow_since=$(now_ms)
fault 'delay 200' 2,e1
serves 2 "by a slow etcd"
fault blackhole 2,e1
sleep 3
serves 2 "by another member"
fault heal 2,e1
while [ $(($(now_ms) - slow_since)) -lt 7000 ]; do sleep 0.2; done
running "$(cat distant.in)" || fail "a command was stopped because etcd is slow: $(cat distant.err)"
run 3 --lock fresh --timeout 20s -- true || fail "a host with a slow etcd grants nothing"
fault heal "${to_etcd[@]}"

# --- Compaction. A watch begins after the revision of a read that was made just before, and never after an earlier one. So
# etcd has compacted what the watch asks for only if others write and compact between the read and the watch: here they do so
# all the time, and h3 has a long way.
other_key=$(printf /allot/other | base64)
put="{\"key\":\"$other_key\",\"value\":\"$other_key\"}"
revision_now() { etcd_does /v3/kv/put "$put" | grep -o '"revision":"[0-9]*"' | grep -o '[0-9]*'; }
etcd_hears() { printf 'POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %s\r\n\r\n%s' "$1" ${#2} "$2"; }
# Each put is a revision, so there is one as large as what is compacted.
write_and_compact() {
    local revision
    revision=$(revision_now)
    while sleep 0.03; do
        etcd_hears /v3/kv/put "$put"
        etcd_hears /v3/kv/put "$put"
        revision=$((revision + 2))
        etcd_hears /v3/kv/compaction "{\"revision\":\"$revision\"}"
    done | openssl s_client -quiet -connect "$(etcd_address 1)" -cert client.pem -key client.key -CAfile etcd-ca.pem \
        >compacted.txt 2>/dev/null
}
write_and_compact &
compactor=$!
started+=($compactor)
fault 'delay 50' "${to_etcd[@]}"
fault cut "${to_etcd[@]}"
wait_until 20 "etcd ends a watch because of a compaction" \
    contains 'etcd has compacted the revisions that were missed; this host reads, and watches again' h3.log
kill $(pgrep -P $compactor) $compactor
fault heal "${to_etcd[@]}"
serves 3 "after compactions"
running "$(cat distant.in)" || fail "a command was stopped because of compactions: $(cat distant.err)"

# --- The majority is away for a short time: nothing happens. A lease has three seconds for that, and for the election of a
# leader afterwards.
etcd_works
kill -STOP "${etcd_process[1]}" "${etcd_process[2]}"
sleep 0.7
kill -CONT "${etcd_process[1]}" "${etcd_process[2]}"
sleep 3
goes_on "the majority was away for a moment"
for name in guest distant; do
    running "$(cat $name.in)" || fail "$name was stopped: $(cat $name.err)"
done

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

# --- All members are restarted, and a host afterwards.
stop_all_etcd
start_all_etcd
etcd_does /v3/kv/compaction "{\"revision\":\"$(revision_now)\",\"physical\":true}" >/dev/null
stop 2
start 2
for i in 1 2 3; do serves $i "after a restart of etcd"; done

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
