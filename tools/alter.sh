# For tools that take a check out of the sources: alter FILE EXPRESSION COPY writes what sed makes of FILE, and fails if that is
# the same.
alter() {
    mkdir -p "$(dirname "$3")"
    sed "$2" "$1" >"$3" || return 1
    ! cmp -s "$1" "$3" || { echo "$1: there is nothing that $2 changes" >&2; return 1; }
}
