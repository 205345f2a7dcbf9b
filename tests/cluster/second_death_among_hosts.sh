# As second_death.sh, with a register that the hosts keep themselves: three of five voters stay.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/second_death.sh"
