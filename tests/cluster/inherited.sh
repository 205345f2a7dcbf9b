# A session belongs to the process that began it, not to whoever has its connection: a child that inherited the
# descriptor keeps nothing alive.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 1
start_all
library holder 1 --fork db
child=$(sed -n 's/^child //p' holder.out)
started+=("$child")
run 1 --lock db --no-wait -- touch wrong 2>/dev/null && fail "two hold db"
kill -KILL "${asker[holder]}"
run 1 --lock db --timeout 20s -- true || fail "a child keeps the session of a program that is gone"
running "$child" || fail "the child has ended, so this shows nothing"
exit 0
