# Each order of an operator has one line in the audit log of the host that took it, with what changed and who wanted it. An
# order that nobody understands, or that is refused, says why in one line, changes nothing and is in no log.
engine=${engine:-hosts}
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

me=$(id -un)
# order HOST WORDS...: at that host.
order() {
    local i=$1
    shift
    timeout 30 "$ALLOT" cluster "$@" --socket "./h$i.sock" >out.txt 2>err.txt || fail "cluster $*: $(cat out.txt err.txt)"
}
# noted HOST CHANGE: one line there, and none elsewhere.
noted() {
    local wanted='"event":"order","user":"'$me'",.*"reason":"'$2', by '$me'"'
    [ "$(grep -c -- "$wanted" "h$1.audit")" -eq 1 ] || fail "the log of h$1 does not say once: $2: $(grep order "h$1.audit")"
    [ "$(cat h*.audit | grep -c -- "$wanted")" -eq 1 ] || fail "more than one log has it: $2"
}
# refused CODE EXPECTED WORDS...: at h1.
refused() {
    local code=$1 expected=$2
    shift 2
    timeout 30 "$ALLOT" cluster "$@" >out.txt 2>err.txt
    [ $? -eq "$code" ] && [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -qF -- "$expected" err.txt ||
        fail "not refused with code $code and \"$expected\": cluster $*: $(cat out.txt err.txt)"
}
export ALLOT_SOCKET=./h1.sock

agree $'lease = "3s"\nsilence = "1s"'
configure 5
rm -f h*.audit
for i in 1 2 3 4 5; do printf '[audit]\nfile = "h%s.audit"\n' $i >>h$i.toml; done

# --- `init` that only says what it would do.
folder() { find "$1" -type f -exec md5sum {} + | sort -k 2; }
before=$(folder h1)
"$ALLOT" cluster init --dry-run --above 100 --config h1.toml >out.txt 2>err.txt || fail "no dry run of init: $(cat err.txt)"
contains 'host h1 would be ready: views begin after 100' out.txt || fail "init does not say what it would do: $(cat out.txt)"
[ "$(folder h1)" = "$before" ] || fail "a dry run of init has changed the folder"
contains '"event":"initialised".*views begin after 100' h1.audit && fail "a dry run of init is in the log"
start_all
for i in 1 2 3 4 5; do run $i --lock a --timeout 20s -- true || fail "h$i does not serve"; done

# --- What is not understood, or refused.
settings() { "$ALLOT" cluster show --json --socket ./h1.sock; }
before=$(settings)
usage=2
refused $usage 'cluster apply: write a file, as in allot cluster apply host.toml' apply
refused $usage 'cluster apply: write a file, as in' apply h1.toml h2.toml
refused $usage 'nowhere.toml: cannot read this file' apply nowhere.toml
grep -v '^builds = ' h1.toml >without.toml
refused $usage 'without.toml: write the semaphores that the cluster shall have in [bootstrap.semaphores]' apply without.toml
for words in 'join' "join $(address_of 1)" 'join --config h1.toml' "join $(address_of 1) $(address_of 2) --config h1.toml"; do
    refused $usage 'cluster join: write the address of a host of the cluster and the configuration of this one' $words
done
refused $usage 'cluster leave: the host leaves whose daemon is asked; expel removes another one' leave h2
for action in drain expel expect; do
    for words in '' 'h2 h3'; do
        refused $usage "cluster $action: write the name of one host, as in allot cluster $action h3" $action $words
    done
done
for words in '' 'h1 h2 h3'; do
    refused $usage 'cluster voters: write the hosts that shall keep the register, as in h1,h2,h3, or auto' voters $words
done
refused $usage 'cluster set: write a semaphore and its permits, as in builds=5' set
refused $usage 'builds=6: builds is there twice; write it once' set builds=5 builds=6
refused $usage 'builds=many: write a number of permits from 1 to 10000, or 0 to remove it' set builds=many
refused $usage 'lease: it stays as it was when the cluster was formed' set lease=5s
refused $usage 'cluster frob: no such action' frob
refused $usage 'cluster expel: --undo goes with drain' expel h3 --undo
refused $usage 'cluster drain: --certified goes with expel' drain h3 --certified
refused $usage 'cluster set: --json goes with show' set builds=9 --json
refused $usage 'cluster leave: --config goes with init and join' leave --config h1.toml
for flag in '--above 7' '--voters h1,h2' --bootstrap --forget-sticky; do
    refused $usage "cluster apply: ${flag% *} goes with init" apply h1.toml $flag
done
refused $usage 'cluster show: h1: write nothing after show' show h1
impossible=119
refused $impossible 'h1: a host does not expel itself; write `allot cluster leave`' expel h1
for action in expel drain; do refused $impossible 'h9: no such host; there is h1, h2, h3, h4, h5' $action h9; done
refused $impossible 'write an odd number of hosts' voters h1,h2
refused $impossible 'h9: no such host' voters h1,h2,h9
refused 123 'allot' show --socket ./nobody.sock
for words in 'drain h5' 'expel h5' 'expel h5 --certified' 'expect h9' 'voters h1,h2,h3' 'leave' 'set builds=9'; do
    order 1 $words --dry-run
    contains '^would change ' out.txt || fail "cluster $words --dry-run does not say what would change: $(cat out.txt)"
done
sed 's/^builds = .*/licences = 3/; s/^lease = .*/lease = "5s"/' h1.toml >other.toml
order 1 apply other.toml --dry-run
[ "$(grep -c '^would change semaphore ' out.txt)" -eq 2 ] && [ "$(grep -vc would out.txt)" -eq 0 ] ||
    fail "a dry run speaks as if it were true: $(cat out.txt)"
[ "$(settings)" = "$before" ] || fail "something has changed: $(settings)"
grep '"event":"order"' h*.audit && fail "an order that has changed nothing is in a log"

# --- What is done.
order 1 drain h5
noted 1 "host h5: in at $(address_of 5) -> drained at $(address_of 5)"
order 2 drain h5 --undo
noted 2 "host h5: drained at $(address_of 5) -> in at $(address_of 5)"
order 3 expect h9
noted 3 'host h9: none -> expected'
order 1 voters h1,h2,h4
noted 1 'voters: as many as the hosts need -> h1, h2, h4'
order 2 voters auto
noted 2 'voters: h1, h2, h4 -> as many as the hosts need'
order 5 leave
noted 5 "host h5: in at $(address_of 5) -> leaving at $(address_of 5)"
wait_until 20 "the daemon of h5 ends" not_running "${process[5]}"
order 1 expel h4
noted 1 "host h4: in at $(address_of 4) -> out at $(address_of 4)"
newcomer 6
printf '[audit]\nfile = "h6.audit"\n' >>h6.toml
before=$(settings)
"$ALLOT" cluster join "$(address_of 1)" --config h6.toml --dry-run >out.txt 2>err.txt || fail "no dry run of join: $(cat err.txt)"
contains "would change host h6: none -> in at $(address_of 6)" out.txt || fail "join does not say what it would do: $(cat out.txt)"
[ "$(settings)" = "$before" ] && [ ! -e h6/settings ] && [ ! -s h6.audit ] || fail "a dry run of join has changed something"
join 6 1 >out.txt || fail "h6 does not join: $(cat out.txt)"
"$ALLOT" log h6.audit --event joined >log.txt 2>&1
contains "$me .*the cluster of $(address_of 1)" log.txt || fail "the log of h6 does not say who let it join: $(cat log.txt)"
kill_machine 3
order 1 expel h3 --certified
noted 1 "host h3: in at $(address_of 3) -> out at $(address_of 3), certified.*"
hold user 2 --permit builds=2
order 1 set builds=1
contains '^builds: 2 of 1 units are in use; nobody gets one until enough are given back$' out.txt ||
    fail "nothing is said about units in use: $(cat out.txt)"
order 1 set builds=2
contains 'are in use' out.txt && fail "as many as there are is not too many: $(cat out.txt)"
order 1 set builds=0 --dry-run
contains '^builds: 2 of its units would stay in use until they are given back; nobody would get another one$' out.txt ||
    fail "it is not said what becomes of units in use: $(cat out.txt)"
let_go user
order 2 set builds=3 admission=operator
noted 2 'semaphore builds: 2 permits -> 3 permits'
noted 2 'admission: certificate -> operator'
"$ALLOT" log h1.audit --event order | grep -q "host h4: in at .* -> out at .*, by $me" || fail "allot log does not show it: $("$ALLOT" log h1.audit --event order)"
