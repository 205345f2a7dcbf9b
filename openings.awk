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
