# tests/cluster/remotes.sh with 2,000 programs. Each takes locks every two seconds, some for longer than a lease, and they have
# time to connect: 2,000 handshakes, and as many programs that make them, take some seconds of two cores.
REMOTE_PROGRAMS=2000 REMOTE_PROCESSES=4 REMOTE_THINK=2000 REMOTES_CONNECT_MS=20000 REMOTES_LONG=200 \
    REMOTE_TIMES=$'lease = "6s"\nsilence = "2s"\nreturn_within = "3s"' \
    . "$ALLOT_SOURCE_DIR/tests/cluster/remotes.sh"
