# Random runs of whole hosts, two to seven of them, with the atomic register and with their own: machines and daemons
# that die and come back, with their disk and without, late and torn writes, full disks, cuts, pauses, clocks that differ,
# hosts that start late, leave in order or are removed without reason; and each rule that is switched off is found. (Left
# to the checkers of cluster, views, leases and register: the rules that are not named here.)
. "$ALLOT_SOURCE_DIR/tests/soak/lib.sh"
lasting 10000 - cluster --ticks 30
# Two hosts cannot reach every probe, and three only seldom.
clean 80000 - cluster --sites 2 --grants 50 --faults 3 --ticks 30 --seed 2
clean 10000 - cluster --sites 3 --grants 50 --faults 3 --ticks 30 --seed 2
# Few runs have more hosts, which take longer; soak/long/cluster.sh has more of them.
clean 200 - cluster --sites 5 --grants 50 --faults 3 --ticks 30 --seed 3
clean 100 - cluster --sites 7 --grants 50 --faults 3 --ticks 30 --seed 3
# A machine that dies for good keeps what is sticky, and nobody else is served.
clean 10000 - cluster --sticky --property one-user --property at-most-k --property kept-first --property fences-grow \
    --property one-token --property kept-in-use --property request-kept --seed 4

two='--engine atomic --sites 2 --resources 1 --permits 0 --crashes 0 --stops 0 --latecomers 0'
mutation one-user cluster --without hold-off --property one-user $two --whims 2 --cuts 0
mutation one-user cluster --without whole-hold-off --property one-user $two --whims 2 --cuts 2
mutation one-user cluster --without from-question --property one-user $two --whims 2 --cuts 2
mutation one-user cluster --without stop-in-time --property one-user $two --cuts 2
mutation one-user cluster --without stop-old-life --property one-user $two --whims 2
mutation one-user cluster --without certify-own --property one-user $two --whims 2
mutation one-user cluster --without guard --property one-user $two --daemon-deaths 2
mutation one-user cluster --without await-programs --property one-user $two --daemon-deaths 2 --kernel on
mutation lease-holds cluster --without grant-in-time --property lease-holds $two --cuts 2
mutation fences-grow cluster --without fence-by-view --property fences-grow $two --whims 1
mutation assertion cluster --without report-adopted --property assertion $two --daemon-deaths 2
mutation request-kept cluster --without keep-waiting --property request-kept $two --whims 2
mutation request-kept cluster --without ask-again --property request-kept $two --daemon-deaths 2
mutation kept-in-use cluster --without forget-names --property kept-in-use $two
mutation free-at-once cluster --without keep-early --property free-at-once $two
mutation unserved cluster --without keep-reports $two

mutation kept-first cluster --without keep-first --sticky --property kept-first $two
mutation owner-served cluster --without serve-owner --sticky --property owner-served $two --programs 3
mutation kept-first cluster --without free-last --sticky --property kept-first $two
mutation one-user cluster --without hold-for-absent --sticky --property one-user $two
mutation claims-agree cluster --without forget-at-work --sticky --property claims-agree $two --daemon-deaths 2 --kernel on \
    --programs 2 --cuts 0 --whims 2

one_lock='--engine atomic --resources 1 --permits 0'
mutation one-user cluster --without drain-first --property one-user $one_lock --sites 2 --crashes 0 --latecomers 0 --stops 2
mutation one-user cluster --without returned-only --property one-user $one_lock --sites 3 --crashes 0 --latecomers 0 --stops 0 \
    --daemon-deaths 0 --whims 2 --cuts 4 --lease 2 --grace 0 --skew 0 --tolerance 0
mutation free-at-once cluster --without keep-ends --property free-at-once $one_lock --sites 3

three='--engine atomic --sites 3'
mutation never-objected cluster --without numbered-messages --property never-objected $three
mutation one-user cluster --without freeze --property one-user $three
mutation never-objected cluster --without clear-lender --property never-objected $three --resources 3
mutation one-token cluster --without all-reports --property one-token $three
mutation free-at-once cluster --without give-way --property free-at-once $three
mutation overtaken-seldom cluster --without bound-overtakes --property overtaken-seldom --engine atomic --sites 2
mutation overtaken-seldom cluster --without owed-first --property overtaken-seldom --engine atomic --sites 2 --overtakes 1 \
    --programs 3 --program-requests 4 --resources 3 --max-request 0 --seats 3 --cancel --grants 50
mutation unserved cluster --without remove-until-gone $three --crashes 2 --stops 1

both_kinds='--engine atomic --sites 2 --resources 1 --permits 1'
mutation kept-in-use cluster --without return-on-end --property kept-in-use $both_kinds
mutation unserved cluster --without locks-first --property starvation $both_kinds --crashes 0

permits='--engine atomic --sites 3 --resources 0 --max-request 0'
mutation at-most-k cluster --without raise-clock --property at-most-k $permits --permits 1
mutation at-most-k cluster --without count-users --property at-most-k $permits --permits 2
mutation unserved cluster --without keep-debts $permits --permits 1
mutation unserved cluster --without enter-at-once $permits --permits 1

mutation one-value cluster --without majorities --property one-value --engine hosts --sites 2 --voters 2
mutation unserved cluster --without try-again --engine hosts --sites 3 --voters 3
succeed='--engine hosts --first-start --successions 3 --sites 3 --voters 3 --resources 1 --permits 0 --stops 0 --whims 0 --latecomers 0 --grants 30'
mutation one-value cluster --without committed-seal --property one-value $succeed
mutation unserved cluster --without rank-by-generation --engine hosts --sites 3 --voters 3 --successions 2
