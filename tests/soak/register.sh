# Every run of larger instances of the register: the sizes of its specification, section 11. Where proposers are voters, they
# talk to their own voter without a link, which lets more ballots, voters and proposers fit.
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
lossy=(register --nacks off --links lossy)
# Two proposers: a crash that keeps the disk, on FIFO and on lossy links; four voters.
holds 5223972 25652947 register --nacks off --links fifo --sites 4 --scripts C,-,-,C --crashes 1 --restarts 1 --ballots 2
holds 253607 1686329 "${lossy[@]}" --sites 5 --scripts=-,-,-,C,C --ballots 1 --crashes 1 --restarts 1
holds 387689 2788808 "${lossy[@]}" --sites 4 --voters 4 --scripts C,-,-,C --ballots 2
holds 2798912 24441595 "${lossy[@]}" --sites 5 --voters 4 --scripts C,-,-,-,C --ballots 2
# Three proposers, and two that read after a change.
holds 1232590 7169874 "${lossy[@]}" --sites 3 --scripts C,C,C --ballots 2
holds 513998 4312031 "${lossy[@]}" --sites 6 --scripts=-,-,-,C,C,C --ballots 1
holds 3705038 47443747 "${lossy[@]}" --sites 6 --scripts=-,-,-,C,C,Q --ballots 1
holds 85719 763493 "${lossy[@]}" --sites 3 --scripts C,C,G --ballots 1
holds 612571 5767183 "${lossy[@]}" --sites 3 --scripts CQ,-,CQ --ballots 1 --requests 2,0,2
# An operation that was disturbed looks before its next attempt.
holds 5998591 76726011 "${lossy[@]}" --sites 4 --scripts C,-,-,C --ballots 2 --looks 1
# Generations; the old voters go on answering.
holds 518116 7136822 "${lossy[@]}" --sites 4 --scripts S,-,-,C --ballots 2
holds 1799052 20875408 "${lossy[@]}" --sites 4 --scripts SC,-,-,CC --ballots 1 --requests 2,0,0,2
holds 1277 5894 "${lossy[@]}" --sites 4 --voters 1 --scripts=-,-,SC,G --ballots 1 --requests 0,0,2,1 --writes late
# In each world a proposer alone with a majority ends, also where generations follow each other.
holds 17468 85698 "${lossy[@]}" --sites 3 --scripts C,-,C --lone-runs on --ballots 2
holds 591213 9804960 register --links lossy --sites 4 --scripts S,-,-,C --ballots 1 --lone-runs on
# A disk on two machines.
holds 860285 5415037 recall --twin --sites 4 --founders 3 --scripts=-,C,G,-
