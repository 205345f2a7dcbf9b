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

# --- A web page of somebody else that lets its own name point here.
for page_name in h1 "$loopback:$page_port" '[::1]:7480'; do page /health | grep -q '^ok' || fail "$page_name is a name of h1"; done
for page_name in evil.example.com localhost.evil.example.com:7480 ''; do
    for path in /status /metrics /health; do
        page $path >page.txt
        grep -q '^HTTP/1.1 421' page.txt && ! grep -q 'db7\|^ok\|^allot_' page.txt || fail "as '$page_name': $(cat page.txt)"
    done
done
page_name=localhost
page /status GET 'Origin: http://evil.example.com\r\n' | grep -q '^HTTP/1.1 421' || fail "the page of somebody else reads it"
page /status GET 'Origin: null\r\n' | grep -q '^HTTP/1.1 421' || fail "a page of nobody reads it"
page /status GET "Origin: http://localhost:$page_port\\r\\n" | grep -q '"name": "db7"' || fail "a page from here does not read it"
let_go keeper

run 1 --lock other -- true 2>err.txt
[ $? -eq 119 ] || fail "a lock that is not allowed"
grep -q 'may not take lock other' err.txt || fail "$(cat err.txt)"
exit 0
