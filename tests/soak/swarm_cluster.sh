# Random runs of whole hosts: machines and daemons that die, removals without reason, cuts, late writes and clocks that
# differ; and each rule that is switched off is found. (from-question and cold-start are left to the checkers of leases
# and views.)
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
clean 20000 6000000 cluster
finds lease-holds 20000 cluster --without grant-in-time --property lease-holds
finds overtaken-seldom 20000 cluster --without bound-overtakes --property overtaken-seldom
finds free-at-once 20000 cluster --without give-way --property free-at-once --sites 3
finds one-user 20000 cluster --without stop-in-time --property one-user --engine atomic --sites 2 --crashes 0 --stops 0 --cuts 2
finds assertion 20000 cluster --without report-adopted --property assertion --sites 3
finds assertion 20000 cluster --without freeze --property assertion --sites 3
finds assertion 20000 cluster --without numbered-messages --property assertion --sites 3
finds unserved 20000 cluster --without all-reports --sites 3
finds unserved 20000 cluster --without remove-until-gone --crashes 2 --stops 1
