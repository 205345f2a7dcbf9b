# The audit log says of each lease that ended against the will of its program that it was lost, and why: the voters do
# not answer, so the guardian stops what runs on the third host, before its lease ends or at that moment.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "3s"\ngrace = "1s"\nsilence = "1s"'
configure 3
rm -f audit ./*.last
printf '[audit]\nfile = "audit"\n' >>h3.toml
start_all

hold given-back 3 --lock given-back
let_go given-back
# It ends when it is asked to; the second one also without its wrapper. The third does not hear SIGTERM.
hold polite 3 --lock polite
hold alone 3 --lock alone
wait_until 20 "the guardian keeps its lease" is_guarded alone 3
kill -KILL "${asker[alone]}"
"$ALLOT" run --socket ./h3.sock --lock deaf -- \
    bash -c 'trap "" TERM; echo $$ >deaf.new; mv deaf.new deaf.in; while :; do read -rt 1 <> <(:); done' 2>/dev/null &
started+=($!)
wait_until 20 "the deaf command runs" granted deaf
kill -STOP "${process[1]}" "${process[2]}"
for name in polite alone deaf; do
    wait_until 20 "$name is stopped" not_running "$(cat $name.in)"
    wait_until 20 "the end of $name is in the log" contains "\"event\":\"\(released\|lost\)\".*\"name\":\"$name\"" audit
    contains "\"event\":\"lost\".*\"name\":\"$name\",\"fence\":\"[0-9]*\".*\"reason\":\"[^\"]*lease" audit ||
        fail "the log says of $name: $(grep "\"$name\"" audit)"
    contains "\"event\":\"released\".*\"name\":\"$name\"" audit && fail "the log says that $name was released, too"
done
kill -CONT "${process[1]}" "${process[2]}"
contains '"event":"released".*"name":"given-back"' audit || fail "the log says of given-back: $(grep given-back audit)"
contains '"event":"lost".*"name":"given-back"' audit && fail "the log says that given-back was lost"
exit 0
