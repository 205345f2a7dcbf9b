# Every scenario of the repository plays as it says, and says something that could be otherwise.
set -euo pipefail
fail() {
    echo "FAILED: $*"
    exit 1
}
cd "$ALLOT_SOURCE_DIR/scenarios"
here=$OLDPWD

# The number of files is written here so that none is lost unseen; whoever adds a scenario adds one to it.
mapfile -t files < <(find . -type f | sort)
[ "${#files[@]}" -eq 340 ] || fail "there are ${#files[@]} scenarios, not 340"
"$ALLOT" play --quiet "${files[@]}" >"$here/played.txt"
printf '%s: as expected\n' "${files[@]}" | cmp - "$here/played.txt" || fail "not every scenario was played"

# A byte-order mark before the first line is no part of it.
printf '\xEF\xBB\xBFprotocol raymond\nrequest 0\nexpect waiting 0\n' >"$here/marked.txt"
"$ALLOT" play --quiet "$here/marked.txt" >/dev/null || fail "a scenario with a byte-order mark does not play"

# A scenario ends with an expectation: steps after the last one could do anything.
for file in "${files[@]}"; do
    last=$(grep -vE '^[[:space:]]*(#|$|show$)' "$file" | tail -n 1)
    [[ $last == expect\ * ]] || fail "$file ends with: $last"
done

# deny FILE: writes one copy of it per expectation; the copy says the opposite there, and its play must fail. An expected violation
# is left out, since an unexpected one fails. In a part of a state one value changes; an expectation of nothing but empty lists is
# not denied.
deny() {
    awk -v prefix="$here/denied/$(tr / _ <<<"${1#./}")" '
        function opposite(line, word, count,    part, before) {
            if (word[2] ~ /^(holding|waiting|idle|leaving|revoked)$/)
                return "expect " word[2] (word[3] == "none" ? " 0" : " none")
            if (word[2] == "sent" || word[2] == "in-flight") {
                sub(/[0-9]+[ \t]*$/, word[count] + 1, line)
                return line
            }
            if (word[2] == "violation") return word[3] ~ /^(closure|convergence)$/ ? "expect legitimate" : "# " line
            if (word[2] == "legitimate") return "expect violation closure"
            if (word[2] == "starving") return "expect starving " (word[3] == 0 ? 1 : 0)
            if (word[2] == "stuck" || word[2] == "unservable") return "expect holding " word[3]
            if (word[2] != "state") return "expect the impossible"
            part = index(line, "{")
            before = substr(line, 1, part - 1)
            line = substr(line, part)
            if (sub(/true/, "false", line) || sub(/false/, "true", line)) return before line
            if (sub(/"waiting"/, "\"idle\"", line) || sub(/"member"/, "\"stranger\"", line)) return before line
            if (sub(/"reserved": \[\]/, "\"reserved\": [0]", line)) return before line
            if (sub(/"reserved": \[[0, ]+\]/, "\"reserved\": []", line)) return before line
            if (sub(/: null/, ": 0", line) || sub(/: {"channel": 0}/, ": null", line)) return before line
            if (sub(/\["r1"\]/, "[\"r0\"]", line)) return before line
            if (!match(line, /: [0-9]+/)) return ""
            count = substr(line, RSTART + 2, RLENGTH - 2)
            return before substr(line, 1, RSTART + 1) (count == 0 ? 1 : count - 1) substr(line, RSTART + RLENGTH)
        }
        { lines[NR] = $0 }
        $1 == "expect" { expectations[++found] = NR }
        END {
            for (i = 1; i <= found; ++i) {
                delete word
                denied = opposite(lines[expectations[i]], word, split(lines[expectations[i]], word, /[ \t]+/))
                if (denied == "") continue
                file = sprintf("%s.%d", prefix, expectations[i])
                for (n = 1; n <= NR; ++n) print n == expectations[i] ? denied : lines[n] > file
                close(file)
            }
        }' "$1"
}
rm -rf "$here/denied"
mkdir "$here/denied"
for file in "${files[@]}"; do
    deny "$file"
    compgen -G "$here/denied/$(tr / _ <<<"${file#./}").*" >/dev/null || fail "$file has no expectation that can be denied"
done
cd "$here/denied"
code=0
"$ALLOT" play --json -- * >../denied.json || code=$?
[ "$code" -eq 1 ] || fail "exit code $code, wanted 1: $(grep -oE '\{"file":[^}]*\}' ../denied.json | head -n 5)"
if grep -oE '\{"file":"[^"]*","ok":true' ../denied.json; then fail "these play as expected although they deny an expectation"; fi
echo "${#files[@]} scenarios, $(find . -type f | wc -l) expectations denied"
