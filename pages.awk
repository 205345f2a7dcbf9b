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
