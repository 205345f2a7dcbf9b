# For scripts: a new daemon alone in its cluster, in this directory, with two permits of `builds`. Its socket is
# $PWD/allot.sock, which $ALLOT_SOCKET names; its process is $node.

export ALLOT_SOCKET=$PWD/allot.sock

write_config() {
    rm -rf state register*
    cat >node.toml <<TOML
host = "alpha"
socket = "$ALLOT_SOCKET"
state = "$PWD/state"
[register]
engine = "file"
file = "$PWD/register"
[bootstrap.semaphores]
builds = 2
[bootstrap]
lease = "6s"
grace = "300ms"
TOML
    "$ALLOT" cluster init --config node.toml >/dev/null
}

# Looks again and again until the command works, for as long as a busy machine may take.
eventually() {
    local tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || { echo "never: $*"; return 1; }
        sleep 0.01
    done
}

node_answers() { "$ALLOT" status >status.txt 2>&1; }

start_node() {
    "$ALLOT" node --config node.toml 2>>node.log &
    node=$!
    eventually node_answers || { cat node.log; exit 1; }
}

# end_node SIGNAL
end_node() {
    kill -CONT "$node" 2>/dev/null
    kill -"$1" "$node" 2>/dev/null
    wait "$node" 2>/dev/null
}

trap 'kill -9 $(jobs -p) 2>/dev/null' EXIT
