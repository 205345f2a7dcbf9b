# Certificates of a cluster are renewed, by a new authority, while its daemons run and a program holds a lock: new links and
# new programs use the new files, and nothing is lost. Files that do not fit together leave the earlier ones in use.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

rm -rf certs old new
"$ALLOT" cert --dir old h1 h2 h3 --program ci >/dev/null || fail "no certificates"
"$ALLOT" cert --dir new h1 h2 h3 --program ci >/dev/null || fail "no new certificates"
cp -r old certs
# put FROM TO: a new file takes the name of the earlier one.
put() { cp "$1" "$2.new" && mv "$2.new" "$2"; }
# renew HOST FOLDER
renew() {
    put "$2/$1.key" "certs/$1.key"
    put "$2/$1.pem" "certs/$1.pem"
}
tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"'
configure 3
for i in 1 2 3; do sed -i "1i clients = \"$loopback:$((7480 + i))\"" "h$i.toml"; done
with_page 1
start_all

# look HOST AUTHORITY [PAPERS]: a program with papers of that authority, which trusts it alone, asks for the status.
look() {
    timeout 20 "$ALLOT" status --at "$loopback:$((7480 + $1))" --server-name "h$1" --ca "$2/ca.pem" \
        --cert "${3:-$2}/programs/ci.pem" --key "${3:-$2}/programs/ci.key" 2>&1
}
# A look makes a handshake, and that looks at the files, if the last one was a second ago.
shows() { look "$@" >/dev/null; }
refuses() { ! look "$@" >/dev/null; }
healthy() { page /health | grep -q '^ok'; }
says() { grep -c -- "$2" "$1"; }

hold job 1 --lock db
shows 1 old || fail "no status before: $(look 1 old)"
wait_until 20 "h1 is well" healthy

# --- Both authorities, then new certificates: h2 comes back with one that only the new authority has signed.
cat old/ca.pem new/ca.pem >both.pem
put both.pem certs/ca.pem
wait_until 20 "h1 believes the new authority" shows 1 old new
stop 2
renew h2 new
start 2
wait_until 30 "h2 takes part with its new certificate" all_take_part
shows 2 new old || fail "h2 does not show its new certificate: $(look 2 new old)"

# --- The others get theirs while they run.
renew h1 new
renew h3 new
wait_until 20 "h1 shows its new certificate" shows 1 new
wait_until 20 "h3 shows its new certificate" shows 3 new
contains 'certs/h1.pem: new connections use the renewed files; the certificate is valid until' h1.log || fail "h1 does not say so"

# --- The former authority goes, and h3 is restarted: it connects to nobody, the others connect to it.
put new/ca.pem certs/ca.pem
wait_until 20 "h1 refuses a program of the former authority" refuses 1 new old
stop 3
start 3
wait_until 30 "h3 takes part with the new authority" all_take_part
granted job && running "$(cat job.in)" || fail "the job lost its lock: $(cat job.err)"
run 2 --lock db --no-wait -- true 2>/dev/null
[ $? -eq 120 ] || fail "the lock of the job is given away"

# --- Wrong files: another key, another host, half a file. The earlier ones stay in use, and one line says why.
says_when_asked() { shows 1 new && contains "$1" h1.log; }
wrong() {
    local why=$1
    wait_until 20 "h1 says: $why" says_when_asked "cannot be used, the former ones stay in use: $why"
    shows 1 new || fail "$why: the former files are not in use: $(look 1 new)"
    look 1 new | grep -q 'the former ones stay in use' || fail "$why: allot status does not say so: $(look 1 new)"
    page /health | grep -q "$why" || fail "$why: /health does not say so"
    [ "$(says h1.log "$why")" -eq 1 ] || fail "$why: it is said again and again"
}
put new/h2.key certs/h1.key
wrong 'certs/h1.key: the file contains no private key for that certificate'
put new/h2.pem certs/h1.pem
wrong 'certs/h1.pem: the certificate is for host h2, not for host h1'
head -c 200 new/h1.pem >certs/h1.pem
wrong 'certs/h1.pem: the file contains no certificate in PEM'

# --- One that ends soon is used, with a warning. The files are noticed without a handshake, too.
"$ALLOT" cert --dir new --days 5 --force h1 >/dev/null || fail "no certificate for five days"
renew h1 new
wait_until 30 "h1 is well again" healthy
contains 'certs/h1.pem: the certificate expires on .*; replace the files of certificate and key' h1.log ||
    wait_until 20 "h1 warns of the end" contains 'certs/h1.pem: the certificate expires on' h1.log
let_go job
exit 0
