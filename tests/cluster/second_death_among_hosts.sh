# As second_death.sh, with a register that the hosts keep themselves, networks of their own and TLS: three of five voters stay.
engine=hosts
networks=own
. "$ALLOT_SOURCE_DIR/tests/cluster/second_death.sh"
