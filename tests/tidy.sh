# Checks the English of pages and comments, and the length of functions, as far as a machine can.
#
# Every finding is printed as FILE:LINE: what to do. A number below is an allowance for text that is older than its
# rule. Allowances only shrink: the test fails if there are more findings than allowed, and also if there are fewer;
# then it asks you to lower the number. Do not raise one.
set -u
export LC_ALL=C
here=$PWD
cd "$ALLOT_SOURCE_DIR" || exit 1

# Findings in pages that nobody has rewritten yet.
declare -A page_allowance=(
)

# Comments, errors and help texts that open with Who, Whoever, What, So long or the like, by folder.
declare -A opening_allowance=(
    [src/daemon]=4
)

# Functions of more than 70 lines: FILE:NAME and how many lines it has.
function_lines_most=70
declare -A function_allowance=(
)

failed=0
complain() {
    echo "$1"
    failed=1
}

# Compares the findings in file $1 with the allowance $3 of $2, which is in the list $4.
compare() {
    local count
    count=$(grep -c . "$1")
    if [ "$count" -gt "$3" ]; then
        cat "$1"
        complain "$2: $count findings, $3 allowed: rewrite the lines above"
    elif [ "$count" -lt "$3" ]; then
        complain "tests/tidy.sh: $2 has only $count findings: lower its number in $4 from $3 to $count"
    fi
}

# Prose of a page: everything but fenced or indented code. A heading, a list item and a table cell each begin a sentence.
cat >"$here/pages.awk" <<'AWK'
function columns(text) {
    gsub(/\]\([^)]*\)/, "]", text)  # a link cannot be broken
    gsub(/[\200-\277]/, "", text)   # continuation bytes of UTF-8
    return length(text)
}
function report(what) { print FILENAME ":" FNR ": " what }
function check_words(text, i) {
    for (i = 1; i <= words; ++i)
        if (tolower(text) ~ ("(^|[^a-z])" word[i] "([^a-z]|$)")) report("write " instead[i] ", not \"" shown[i] "\"")
}
# A question may begin with Who or What; a statement may not.
function check_opening(sentence) {
    sub(/^[*_(> ]+/, "", sentence)
    if (sentence !~ /^(Who|Whoever|What|So long)[ *]/ && sentence !~ /^Of [^.,;:]* so many /) return
    if (sentence ~ /^(Who|What) [^.!]*\?/) return
    report("name the actor first, not \"" substr(sentence, 1, 24) "...\"")
}
function ban(pattern, text, better) { word[++words] = pattern; shown[words] = text; instead[words] = better }
BEGIN {
    ban("anew", "anew", "\"again\" or \"from the start\"")
    ban("h(o|e)lds?[a-z ]* for dead", "held for dead", "\"declared dead\" or \"count as dead\"")
    ban("bear(s|ing)? with", "bear with", "\"wait for\" or \"tolerate\"")
    ban("circles?", "circle", "\"cycle\"")
    ban("for ever", "for ever", "\"forever\"")
}
FNR == 1 { fenced = 0; starts = 1; before = "" }
/^ *```/ { fenced = !fenced; starts = 1; next }
fenced { next }
/^ *$/ { starts = 1; before = ""; next }
/^    / && (before == "" || before == "code") { before = "code"; next }  # an indented block follows an empty line
{ before = "text" }
{
    text = $0
    gsub(/`[^`]*`/, "`code`", text)
    check_words(text)
}
/^ *\|/ {
    count = split(text, cells, "|")
    for (i = 1; i <= count; ++i) check_opening(cells[i])
    next
}
columns($0) > 100 && !/^ *<?https?:/ { report("wrap this line: it has " columns($0) " columns, 100 are allowed") }
{
    if (sub(/^ *([-*>]|#+|[0-9]+\.) +/, "", text)) starts = 1
    gsub(/[.!?][)*"]* +/, "&\n", text)
    count = split(text, sentences, "\n")
    for (i = 1; i <= count; ++i)
        if (i > 1 || starts) check_opening(sentences[i])
    starts = text ~ /[.!?][)*"]*$/
}
AWK

# Openings of sentences in comments, and in the texts of errors and help. A question may begin with Who or What.
cat >"$here/openings.awk" <<'AWK'
function report(text) { print FILENAME ":" FNR ": name the actor first: " substr(text, 1, 60) }
BEGIN {
    opening = "([Ww]ho|[Ww]hoever|[Ww]hom|What|[Ss]o long|[Ss]o many|[Oo]f [^.,;:\"]* so many) "
    sentence = "[.!?;:] (Who|Whoever|Whom|What|So long|So many) "
}
{
    line = $0
    comment = ""
    if (match(line, /(^|[ \t])\/\/ /)) {
        comment = substr(line, RSTART + RLENGTH)
        line = substr(line, 1, RSTART - 1)
    }
    sub(/^--- /, "", comment)
    if (comment ~ ("^" opening) && comment !~ /\?/) report(comment)
    else if (match(comment, sentence) && comment !~ /\?/) report(substr(comment, RSTART + 2))
    if (match(line, "(\"|[.:;] )" opening "[^\"]*\"")) report(substr(line, RSTART))
}
AWK

# Functions begin outside of others: a header with a parameter list, up to `{`. They end with `}` in the column of the header.
cat >"$here/functions.awk" <<'AWK'
function indent_of(text) { match(text, /^ */); return RLENGTH }
FNR == 1 { inside = 0; header = "" }
{ line = $0; sub(/ +\/\/.*$/, "", line) }
inside {
    if (line ~ /^ *}/ && indent_of(line) == indent) {
        if (FNR - began + 1 > most) print FILENAME ":" began ":" name ":" FNR - began + 1
        inside = 0
        header = ""
    }
    next
}
line ~ /^ *(#|$)/ || line ~ /^\/\// || line ~ /\\$/ { header = ""; next }
{
    if (header == "") { began = FNR; indent = indent_of(line) }
    header = header " " line
}
line ~ /\{$/ {
    inside = header ~ /\(/ && header !~ /^ *(namespace|class|struct|union|enum|concept) / &&
             header !~ /> *(class|struct|concept) / && header !~ /^[^(]* = /
    name = header
    sub(/\(.*/, "", name)
    sub(/.*[ *&]/, "", name)
    if (!inside) header = ""
    next
}
line ~ /[;}:]$/ { header = "" }
AWK
findings=$here/findings.txt

for page in README.md SECURITY.md bench/README.md docs/*.md; do
    awk -f "$here/pages.awk" "$page" >"$findings"
    compare "$findings" "$page" "${page_allowance[$page]:-0}" page_allowance
done

for folder in src/*/; do
    folder=${folder%/}
    find "$folder" -name '*.[ch]pp' | sort | xargs awk -f "$here/openings.awk" >"$findings"
    compare "$findings" "$folder" "${opening_allowance[$folder]:-0}" opening_allowance
done

# The stories of errata, which people read with `allot errata --show`.
grep -nE '(^(title|story): |[.!?] )([Ww]ho|[Ww]hoever|What|So long) ' src/protocols/*/errata.txt >"$findings" || true
compare "$findings" errata.txt 0 no_allowance

declare -A long=()
while IFS=: read -r file line name lines; do
    key=$file:$name
    long[$key]=$lines
    allowed=${function_allowance[$key]:-}
    if [ -z "$allowed" ]; then
        complain "$file:$line: $name has $lines lines, $function_lines_most are allowed: split it"
    elif [ "$lines" -gt "$allowed" ]; then
        complain "$file:$line: $name has grown from $allowed to $lines lines: split it"
    elif [ "$lines" -lt "$allowed" ]; then
        complain "tests/tidy.sh: $key is shorter now: lower its number in function_allowance from $allowed to $lines"
    fi
done < <(find src -name '*.[ch]pp' | sort | xargs awk -v most=$function_lines_most -f "$here/functions.awk")
for key in "${!function_allowance[@]}"; do
    [ -n "${long[$key]:-}" ] || complain "tests/tidy.sh: $key is short enough now: remove it from function_allowance"
done

[ "$failed" -eq 0 ] && echo "tidy"
exit "$failed"
