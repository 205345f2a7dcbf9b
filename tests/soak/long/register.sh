# The largest instances of the register: section 11 of its specification, with proposers that are no voters. Those that do not
# end go further than its prototype did.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
lossy=(register --nacks off --links lossy)
holds 597907 6362433 "${lossy[@]}" --sites 5 --scripts=-,-,-,SC,R --requests 0,0,0,2,1
bounded 7000000 "${lossy[@]}" --sites 6 --scripts=-,-,-,C,C,Q --ballots 2
bounded_memory=256M
bounded 3500000 "${lossy[@]}" --sites 6 --scripts=-,-,-,C,C,C --ballots 2
bounded 3500000 "${lossy[@]}" --sites 5 --scripts=-,-,-,CQ,CQ --requests 0,0,0,2,2
bounded 3500000 register --nacks off --links fifo --sites 5 --scripts=-,-,-,C,C --ballots 2 --crashes 1 --restarts 1
