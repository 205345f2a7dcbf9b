# As stopped_in_time.sh, with a register that the hosts keep themselves, networks of their own and TLS.
engine=hosts
networks=own
. "$ALLOT_SOURCE_DIR/tests/cluster/stopped_in_time.sh"
