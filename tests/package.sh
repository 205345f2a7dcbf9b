# The client library as others get it: installed somewhere, found by find_package and by pkg-config, and used by the
# example without the sources or the libraries that allot is built with.
set -eu
rm -rf prefix staged cmake-build
build=$(dirname "$ALLOT")
cmake --install "$build" --prefix "$PWD/prefix" >install.log

# The command is small; its debug information lies beside it.
[ "$(stat -c %s prefix/bin/allot)" -le 15000000 ] || { echo "the installed command is larger than 15 MB"; exit 1; }
objdump --section-headers prefix/bin/.debug/allot.debug | grep -q '\.debug_info'
objdump --section-headers prefix/bin/allot >sections.txt
if grep -q '\.debug_info' sections.txt; then echo "the installed command has debug information"; exit 1; fi
grep -q '\.gnu_debuglink' sections.txt
prefix/bin/allot --version >version.txt

cmake -S "$ALLOT_SOURCE_DIR/examples/client" -B cmake-build -DCMAKE_PREFIX_PATH="$PWD/prefix" \
    -DCMAKE_CXX_FLAGS='-Wall -Wextra -Wpedantic -Werror' >configure.log
cmake --build cmake-build >build.log || { cat build.log; exit 1; }

export PKG_CONFIG_PATH=$PWD/prefix/lib/pkgconfig
# shellcheck disable=SC2046
g++ -std=c++20 "$ALLOT_SOURCE_DIR/examples/client/main.cpp" $(pkg-config --cflags --libs allot-client) -o by-pkg-config

# The public header stands on the standard library alone.
g++ -std=c++20 -M -I prefix/include -include allot/client.hpp -x c++ /dev/null >needed.txt
grep -q 'prefix/include/allot/client.hpp' needed.txt
if grep -E 'boost|openssl' needed.txt; then echo "the public header needs more than the standard library"; exit 1; fi

# Packagers stage an installation in a directory that is not its prefix.
DESTDIR=$PWD/staged cmake --install "$build" --prefix /usr/local >staged.log
test -f staged/usr/local/include/allot/client.hpp

for program in cmake-build/allot-example ./by-pkg-config; do
    ALLOT_SOCKET=$PWD/nobody.sock $program db 2>err.txt && { echo "$program: should have found no daemon"; exit 1; }
    grep -q 'nobody.sock: no daemon can be reached there' err.txt || { cat err.txt; exit 1; }
done

. "$ALLOT_SOURCE_DIR/tests/support/node.sh"
write_config
start_node
for program in cmake-build/allot-example ./by-pkg-config; do
    $program db builds >out.txt || { cat out.txt; exit 1; }
    for line in 'holds db with fence' 'holds builds with fence' 'others find it busy' 'the next fence is greater'; do
        grep -q "^$line" out.txt || { echo "$program should say: $line; it said:"; cat out.txt; exit 1; }
    done
done
# A protocol outside of allot: written by `allot new`, built with the installed laboratory, checked and broken.
rm -rf two-keys
"$ALLOT" new two-keys >new.txt
export CMAKE_PREFIX_PATH="$PWD/prefix" CXXFLAGS='-Wall -Wextra -Werror'
make -C two-keys >build-lab.log || { cat build-lab.log; exit 1; }
two-keys/build/two-keys check two-keys --sites 3 --requests any >check.txt || { cat check.txt; exit 1; }
grep -q '^holds: 128 states, 318 transitions' check.txt || { cat check.txt; exit 1; }
code=0
two-keys/build/two-keys check two-keys --without one-at-a-time --out broken.txt >broken.log || code=$?
[ "$code" = 1 ] || { echo "a broken protocol ends with $code, not 1"; exit 1; }
two-keys/build/two-keys play --quiet broken.txt >played.txt || { cat played.txt; exit 1; }
grep -q 'as expected' played.txt
two-keys/build/two-keys sim two-keys --sites 20 --time 1s >sim.txt
two-keys/build/two-keys swarm two-keys --runs 100 >swarm.txt
grep -q '^clean: 100 runs' swarm.txt || { cat swarm.txt; exit 1; }
# It speaks of itself, not of allot and its protocols.
two-keys/build/two-keys check --help >help.txt
grep -qx '  two-keys check two-keys' help.txt && ! grep -q raymond help.txt || { cat help.txt; exit 1; }
code=0
two-keys/build/two-keys check three-keys 2>unknown.txt || code=$?
[ "$code" = 2 ] && grep -qx 'two-keys: three-keys: no such protocol; there is two-keys' unknown.txt || { cat unknown.txt; exit 1; }
code=0
"$ALLOT" new two-keys 2>again.txt || code=$?
[ "$code" = 2 ] && grep -q 'two-keys: the folder exists; name another one with --folder' again.txt || { cat again.txt; exit 1; }
code=0
"$ALLOT" new Two_Keys 2>named.txt || code=$?
[ "$code" = 2 ] && grep -q 'small letters, digits and dashes' named.txt || { cat named.txt; exit 1; }
echo "packaged"
