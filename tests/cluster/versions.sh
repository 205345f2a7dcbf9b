# A daemon that speaks an edition before the first of the link protocol is told so, in one line on both sides, and a crowd does not
# notice. (Programs of another version: DoorsTest.)
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 3
start_all
crowd 2 40 8
crowd_is_there 40
# A hello of edition 7: its length, the magic, the number, and then what this version does not know.
for try in 1 2 3; do
    exec {stranger}<>"/dev/tcp/$loopback/7402"
    printf '\x11\x00\x00\x00\x0aallot link\x07from9' >&"$stranger"
    timeout 10 cat <&"$stranger" >answer.txt
    exec {stranger}<&-
    grep -aq 'it speaks edition 7 of the link protocol, this host' answer.txt || fail "it is told: $(cat answer.txt)"
done
[ "$(grep -c " warning: .* is refused: it speaks edition 7 of the link protocol, this host" h2.log)" -eq 1 ] ||
    fail "not one line is logged"
crowd_ends
for log in h*.log; do
    grep -E ' (error|warning): ' "$log" | grep -v 'it speaks edition 7' && fail "$log complains"
done
one_token_each lock{0..11}
