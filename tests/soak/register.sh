# Every run of larger instances of the register: more voters, ballots and proposers, crashes with late writes, and generations.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
holds - - register --nacks off --links fifo --sites 5 --scripts=-,-,-,C,C --crashes 1 --restarts 1
holds - - register --nacks off --links lossy --sites 6 --voters 4 --scripts=-,-,-,-,C,C
holds - - register --nacks off --links lossy --sites 3 --scripts C,C,G
holds - - register --nacks off --links lossy --sites 4 --scripts SC,-,-,CC --ballots 1 --requests 2,0,0,2
holds - - register --nacks off --links lossy --sites 4 --voters 1 --scripts=-,-,SC,G --ballots 1 --requests 0,0,2,1 --writes late
holds - - register --nacks off --links lossy --sites 3 --scripts C,-,C --lone-runs on
