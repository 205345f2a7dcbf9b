# The key of etcd that holds the register was wiped, damaged, or put back from an earlier time. The hosts say so and obey
# it no more: no lease is renewed by it, so nothing is granted in the end.
engine=etcd
etcd_tls=$'certificate = "client.pem"\nkey = "client.key"\nauthority = "etcd-ca.pem"'
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }
serves() { run "$1" --lock a --permit builds=2 --timeout 30s -- true 2>why.txt || fail "h$1 is not served $2: $(cat why.txt)"; }

etcd_certificates
agree $'lease = "3s"\ngrace = "500ms"'
configure 2

# --- Nobody has said that no program runs: the first host makes the key, and waits for the time of a lease.
etcd_does /v3/kv/deleterange "{\"key\":\"$etcd_key\"}" >/dev/null
start 1
run 1 --lock a --timeout 2s -- true 2>/dev/null
[ $? -eq 121 ] || fail "the first host of all does not wait for programs of an earlier time"
start 2
for i in 1 2; do serves $i "in the beginning"; done
stop_all_etcd
cp -r "$etcd_data/1" "$etcd_data/earlier"
start_all_etcd
stop 2
start 2
serves 2 "when it is back"

# --- etcd is put back from an earlier time, under running hosts.
stop_all_etcd
mv "$etcd_data/1" "$etcd_data/newest"
cp -r "$etcd_data/earlier" "$etcd_data/1"
start_all_etcd
wait_until 20 "h1 says that etcd was put back" says 1 'this host has seen view [0-9]*: the key was wiped, or etcd was put back'
wait_until 20 "h2 says so, too" says 2 'the key was wiped, or etcd was put back'
# The status of h1 speaks of h2 as well, which may have seen it first.
for i in 1 2; do
    wait_until 20 "the log of h$i says what to do" contains 'begin again with `allot cluster init --above' "h$i.log"
done
grants_nothing() { ! run 1 --lock free --timeout 300ms -- true 2>/dev/null; }
wait_until 20 "h1 grants nothing without a lease" grants_nothing
# And a daemon that begins then.
stop 1
start 1
wait_until 20 "h1 remembers" says 1 'this host has [a-z ]* view [0-9]*: .* put back from an earlier time'
stop_all_etcd
rm -rf "${etcd_data:?}/1"
mv "$etcd_data/newest" "$etcd_data/1"
start_all_etcd
for i in 1 2; do serves $i "with the newest data"; done

# --- The key is wiped, and an operator begins again above the views that the hosts name.
etcd_does /v3/kv/deleterange "{\"key\":\"$etcd_key\"}" | grep -q '"deleted":"1"' || fail "the key is not wiped"
wait_until 20 "h1 says that the key was wiped" says 1 'it holds view 0, and this host has seen view [0-9]*: the key was wiped'
stop 1
stop 2
above=$("$ALLOT" cluster init --config h1.toml 2>&1 | grep -o 'write --above [0-9]*' | grep -o '[0-9]*')
[ "${above:-0}" -gt 2 ] || fail "init does not say above which view: $("$ALLOT" cluster init --config h1.toml 2>&1)"
"$ALLOT" cluster init --config h1.toml --above "$above" >/dev/null || fail "no register above $above"
"$ALLOT" cluster init --config h1.toml --above "$((above - 1))" 2>/dev/null && fail "init goes back"
"$ALLOT" cluster init --config h1.toml --above "$above" >again.txt || fail "no register once more"
grep -q 'the former content of the key is now under /allot/test.before-[0-9]*$' again.txt || fail "nothing is kept: $(cat again.txt)"
start_all
for i in 1 2; do serves $i "after a new beginning"; done

# --- Damaged content.
etcd_does /v3/kv/put "{\"key\":\"$etcd_key\",\"value\":\"$(printf 'allot register 2 7' | base64)\"}" >/dev/null
wait_until 20 "h1 says that the content is damaged" says 1 'etcd key /allot/test: its first line is damaged: it is not obeyed'
exit 0
