# The mode of a name says how the end of a lease is enforced. A host without a register stops the programs that use
# exclusive resources; those in the mode `fence` go on, and so does their lease when the register is back. `strict`
# refuses programs that nobody can stop.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

agree $'lease = "3s"\ngrace = "500ms"'
modes='[[bootstrap.mode]]
names = ["cache-*"]
mode = "fence"
[[bootstrap.mode]]
names = ["gpu*"]
strict = true'
configure 3
start_all

fenced() { "$ALLOT" status --socket ./h1.sock | grep -q "$1 .*fenced"; }

hold strong 1 --lock db
hold mixed 1 --lock cache-0,disk
hold soft 1 --lock cache-1
fenced cache-1 || fail "cache-1 is not shown as fenced: $("$ALLOT" status --socket ./h1.sock)"
fenced db && fail "db is shown as fenced, though its holder can be stopped"

# A majority of the voters is gone.
kill_machine 2
kill_machine 3
for name in strong mixed; do
    wait_until 20 "the command of $name is stopped" not_running "$(cat $name.in)"
    wait "${asker[$name]}"
    [ $? -eq 122 ] || fail "$name was not told that its lease was lost: $(cat $name.err)"
done
running "$(cat soft.in)" || fail "a command in the mode fence was stopped"
start 2
start 3
run 2 --lock db,disk --timeout 30s -- true || fail "the exclusive locks are not free"
run 2 --lock cache-1 --no-wait -- touch wrong 2>/dev/null
[ $? -eq 120 ] || fail "the fenced lease is lost, though its host was never removed"
let_go soft

# Strict.
run 1 --lock gpu0 --timeout 20s -- true || fail "a command can be stopped, and is refused"
echo | timeout 20 "$HOLDER" ./h1.sock gpu0 2>why && fail "a program that nobody can stop has gpu0"
echo | timeout 20 "$HOLDER" --stoppable ./h1.sock gpu0 >/dev/null || fail "a program that may be stopped is refused"
contains 'only programs that can be stopped may use it (strict)' why || fail "it says: $(cat why)"

# The daemon hangs: the guardian stops the program that may be stopped, when its lease ends.
library holder 1 --stoppable gpu0
kill -STOP "${process[1]}"
wait_until 20 "the program is stopped" not_running "${asker[holder]}"
kill -CONT "${process[1]}"

# Bad settings get one line.
printf '[[bootstrap.mode]]\nnames = ["x"]\nmode = "shared"\n' >>h1.toml
"$ALLOT" node --config h1.toml 2>why && fail "an unknown mode is taken"
contains 'h1.toml:[0-9]*: bootstrap.mode.mode: "shared": write "exclusive", "fence" or "sticky"' why || fail "it says: $(cat why)"
exit 0
