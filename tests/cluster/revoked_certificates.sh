# Certificates are revoked while the daemons run: the program that shows one is cut off and loses its lock, the link to the
# host that shows one is closed, and neither comes back. The others are unharmed.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

rm -rf certs
"$ALLOT" cert --dir certs h1 h2 h3 --program ci,deploy >/dev/null || fail "no certificates"
"$ALLOT" cert --dir certs --revoke certs/programs/deploy.pem --days 7 >/dev/null || fail "no list"
agree $'lease = "3s"\nsilence = "1s"\nreturn_within = "1500ms"'
tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"\ncrl = "certs/crl.pem"'
configure 3
sed -i "1i clients = \"$loopback:7481\"" h1.toml
with_page 1
start_all

# as PROGRAM COMMAND...: on another machine, at h1.
as() {
    local papers=certs/programs/$1 command=$2
    shift 2
    "$ALLOT" "$command" --at "$loopback:7481" --server-name h1 --ca certs/ca.pem --cert "$papers.pem" --key "$papers.key" "$@"
}
has_far() { "$ALLOT" status --socket ./h1.sock | grep -q '^far .*holds'; }
as deploy status >/dev/null 2>deploy.err && fail "a revoked program is let in"
page /metrics | grep -qE '^allot_certificate_expires_timestamp_seconds [0-9]{10}' || fail "the metrics do not tell the end of the certificate"
page /metrics | grep -qE '^allot_revocation_list_expires_timestamp_seconds [0-9]{10}' || fail "nor that of the list"
page /health | grep -q '^warning: certs/crl.pem: the revocation list expires on' || fail "no warning: $(page /health)"
healthy || fail "a warning is no trouble: $(page /health)"
"$ALLOT" status --socket ./h1.sock | grep -q 'the revocation list expires on' || fail "status does not warn"

as ci run --lock far -- sleep 60 2>ci.err &
started+=($!)
wait_until 10 "the program has its lock" has_far
"$ALLOT" cert --dir certs --revoke certs/programs/ci.pem,certs/h3.pem >/dev/null || fail "no new list"
wait_until 15 "the program is cut off" contains 'session of .*ci.* closed: its certificate is revoked' h1.log
wait_until 15 "h1 closes the link to h3" contains 'link to host h3 is closed: its certificate is revoked' h1.log
wait_until 20 "h3 is removed" members_are 1 h1,h2
run 2 --lock far --timeout 20s -- true || fail "the lock is not free again"
contains 'certs/h3.pem: the certificate is revoked' h3.log || fail "h3 does not say so"
