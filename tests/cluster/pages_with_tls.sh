# The pages with TLS: readers show certificates of programs, and read what these may read.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"'
command -v openssl >/dev/null || { echo "openssl is not installed"; exit 77; }

"$ALLOT" cert --dir certs h1 --program deploy,audit --force >/dev/null || fail "no certificates"
"$ALLOT" cert --dir others h1 --program audit --force >/dev/null || fail "no other certificates"
configure 1
sed -i "1i https = \"$loopback:7443\"\nclients = \"$loopback:7481\"" h1.toml
printf '[[allow]]\nusers = ["cert:audit"]\nread = "all"\n[[allow]]\nusers = ["*"]\nlocks = ["*"]\n' >>h1.toml
start_all

# read_as CERTIFICATE: the status, as the holder of that certificate reads it.
read_as() {
    { printf 'GET /status HTTP/1.1\r\nHost: h1\r\nConnection: close\r\n\r\n'; sleep 1; } |
        timeout 10 openssl s_client -quiet -connect "$loopback:7443" -CAfile certs/ca.pem -verify_return_error "$@" 2>tls.txt
}
papers() { echo "-cert $1/programs/$2.pem -key $1/programs/$2.key"; }

hold keeper 1 --lock db
timeout 50 "$ALLOT" run --at "$loopback:7481" --server-name h1 --ca certs/ca.pem --cert certs/programs/deploy.pem \
    --key certs/programs/deploy.key --lock gpu -- sleep 40 &
started+=($!)
holds() { "$ALLOT" status --socket ./h1.sock | grep -q "^gpu .* holds.* cert:deploy "; }
wait_until 20 "a program of another machine holds a lock" holds

read_as $(papers certs audit) >audit.txt
grep -q '"command": "bash' audit.txt && grep -q '"user": "cert:deploy"' audit.txt || fail "audit reads not all: $(cat audit.txt)"
read_as $(papers certs deploy) >deploy.txt
grep -q '"command": "sleep 40"' deploy.txt || fail "deploy does not read its own: $(cat deploy.txt)"
grep -q '"name": "db"' deploy.txt && ! grep -q '"command": "bash' deploy.txt || fail "deploy reads what others do: $(cat deploy.txt)"
read_as $(papers others audit) | grep -q HTTP && fail "a certificate of another authority is accepted"
read_as | grep -q HTTP && fail "nobody needs a certificate"
read_as $(papers certs audit) -tls1_2 | grep -q HTTP && fail "an old version of TLS is accepted"
let_go keeper
exit 0
