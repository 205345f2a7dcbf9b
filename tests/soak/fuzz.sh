# Each fuzz target for 20 seconds, from its corpus: decoders, and the handlers of hosts, voters, sessions, views and protocols.
build=$(dirname "$ALLOT")
command -v clang++ >/dev/null || { echo "clang++ is not installed"; exit 77; }
cmake --build "$build" --target fuzz || exit 1
cd "$ALLOT_SOURCE_DIR" && JOBS=2 tools/fuzz 20
