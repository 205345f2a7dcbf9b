# Folders that are not what they seem: a host that is copied to another machine while it runs is refused, a folder that
# was put back from an earlier time or emptied does not vote, and a damaged one is not believed.
engine=hosts
networks=own
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

says() { "$ALLOT" status --socket "./h$1.sock" 2>/dev/null | grep -q -- "$2"; }
serves() { run "$1" --lock a,b --permit builds --timeout 30s -- true || fail "h$1 is not served: $2"; }

agree $'lease = "3s"'
configure 3
start_all
serves 1 "at the beginning"

# A copy of h1 at another address, which sees the others.
rm -rf copy earlier
cp -r h1 copy
rm -f copy/*.sock
sed 's/^socket = .*/socket = "copy.sock"/; s/^state = .*/state = "copy"\naddress = "127.0.0.1:0"/' h1.toml >copy.toml
$(in_network 1) timeout 30 "$ALLOT" node --config copy.toml 2>copy.log
[ $? -eq 1 ] || fail "a copy of a live host runs: $(cat copy.log)"
contains "host h1 runs already: host h[23] has a link to it, from ${own_address[1]%%.*}" copy.log || fail "no address: $(cat copy.log)"
pkill -KILL -f "allot guardian --folder $PWD/copy "
serves 1 "though it is the one that was copied"

# h3 is put back to an earlier time, after votes that its folder does not know.
cp -r h3 earlier
kill_machine 3
serves 1 "without h3"
start 3
serves 3 "when it is back"
kill_machine 2
serves 3 "without h2, so that h3 must vote"
start 2
serves 2 "when it is back"
kill_machine 3
rm -r h3
mv earlier h3
rm -f h3/*.sock
start 3
wait_until 20 "h3 notices that its folder is old" says 3 'put back from an earlier time'
serves 1 "beside a host that votes no more"
wait_until 20 "the status of h1 says so, too" says 1 '^h3  *voteless '
chosen=$("$ALLOT" cluster voters h1,h2,h3 --socket ./h1.sock 2>&1)
[ $? -eq 119 ] && [[ $chosen == *'the vote of h3 is void, because its state folder was put back or copied; choose another host'* ]] ||
    fail "a host that votes no more is chosen: $chosen"

for i in 1 2 3; do kill_machine $i; done

# h2 loses its disk; h1 and h3 remember.
configure 3
start_all
serves 2 "at the beginning"
kill_machine 2
rm -r h2
start 2
serves 2 "with an empty disk"
for i in 1 2 3; do kill_machine $i; done

# One wrong bit is enough.
printf '\\x01' | dd of=h1/council bs=1 seek=100 conv=notrunc status=none
"$ALLOT" node --config h1.toml 2>h1.err
[ $? -eq 2 ] || fail "a damaged folder is believed"
contains 'h1/council: .*; move the folder h1 away, and let this host join again' h1.err ||
    fail "it is not said what to do: $(cat h1.err)"
exit 0
