# The daemon runs in a PID namespace of its own, so the kernel shows it no process of programs outside: nobody can stop
# these. They are refused what is strict, and told that they must stop by themselves. Skipped where this user may not
# make PID namespaces.
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

if ! unshare --pid --fork --mount-proc true 2>why.txt; then
    echo "skipped: no PID namespaces here: $(head -n 1 why.txt)"
    exit 77
fi
agree
modes=$'[[bootstrap.mode]]\nnames = ["gpu*"]\nstrict = true'
configure 1
within[1]='unshare --pid --fork --kill-child --mount-proc'
start_all

echo | timeout 30 "$HOLDER" --stoppable ./h1.sock free >free.out 2>&1 || fail "a lock that is not strict: $(cat free.out)"
echo | timeout 30 "$HOLDER" --stoppable ./h1.sock gpu0 >strict.out 2>why && fail "a program that nobody can stop has gpu0"
contains 'only programs that can be stopped may use it (strict)' why || fail "it says: $(cat why)"
library holder 1 --stoppable free
"$ALLOT" status --socket ./h1.sock | grep -q 'free .*holds, fenced' ||
    fail "the lease of a program that nobody can stop is not shown as fenced: $("$ALLOT" status --socket ./h1.sock)"
tell holder .
wait "${asker[holder]}" || fail "the program has lost the lock: $(cat holder.out)"

# A program beside the daemon can be stopped.
beside=$(pgrep -P "${process[1]}")
nsenter --target "$beside" --pid --mount -- "$ALLOT" run --socket "$PWD/h1.sock" --lock gpu0 --timeout 20s -- true ||
    fail "a command in the namespace of the daemon is refused"
exit 0
