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
