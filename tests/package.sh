# The client library as others get it: installed somewhere, found by find_package and by pkg-config, and used by the
# example without the sources or the libraries that allot is built with.
set -eu
rm -rf prefix staged cmake-build
build=$(dirname "$ALLOT")
cmake --install "$build" --prefix "$PWD/prefix" >install.log

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
echo "packaged"
