# The pages of a daemon for people and for monitoring, and who may use what.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 1
with_page 1
cat >>h1.toml <<END
[[allow]]
users = ["$(id -un)"]
locks = ["db*"]
END
start_all

hold keeper 1 --lock db7
page /health | grep -q '^ok' || fail "not healthy"
page /metrics | grep -q '^allot_leases_held 1' || fail "/metrics: $(page /metrics)"
page /status | grep -q '"name": "db7"' || fail "/status: $(page /status)"
page /health HEAD >head.txt
grep -q '^HTTP/1.1 200' head.txt && grep -q '^Content-Length: 3' head.txt && ! grep -q '^ok' head.txt || fail "HEAD: $(cat head.txt)"
page /nothing | grep -q '404' || fail "a page that is not there"
let_go keeper

run 1 --lock other -- true 2>err.txt
[ $? -eq 119 ] || fail "a lock that is not allowed"
grep -q 'may not take lock other' err.txt || fail "$(cat err.txt)"
exit 0
