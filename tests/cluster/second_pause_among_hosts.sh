# As second_pause.sh, with a register that the hosts keep themselves, networks of their own and TLS.
engine=hosts
networks=own
. "$ALLOT_SOURCE_DIR/tests/cluster/second_pause.sh"
