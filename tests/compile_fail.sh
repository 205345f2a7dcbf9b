#!/usr/bin/env bash
# Each file of tests/compile_fail compiles, and does not with -DBROKEN: then the compiler says what its first
# line expects.
set -euo pipefail

work="$PWD"
cd "$ALLOT_SOURCE_DIR/tests/compile_fail"
files=(*.cpp)
[ "${#files[@]}" -ge 8 ] || { echo "only ${#files[@]} files in $PWD"; exit 1; }

# All of them include this header: it is parsed once.
compiler=("${CXX:-g++}" -std=c++20 -I "$ALLOT_SOURCE_DIR/src")
"${compiler[@]}" -w -x c++-header "$ALLOT_SOURCE_DIR/src/world/entry_of.hpp" -o "$work/entry_of.hpp.gch"

compile() {
    "${compiler[@]}" -fsyntax-only -include "$work/entry_of.hpp" "$@" 2>&1
}

for file in "${files[@]}"; do
    expected="$(sed -n '1s,^// expect: ,,p' "$file")"
    [ -n "$expected" ] || { echo "$file: the first line must say // expect: PATTERN"; exit 1; }
    said="$(compile "$file")" || { echo "$file does not compile unbroken: $said"; exit 1; }
    if said="$(compile -DBROKEN "$file")"; then
        echo "$file compiles although it is broken"
        exit 1
    fi
    grep -qE -- "$expected" <<<"$said" || { echo "$file: expected '$expected', but the compiler said: $said"; exit 1; }
done
