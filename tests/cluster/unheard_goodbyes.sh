# A daemon is stopped in order while its goodbye cannot be heard, and is back before the others remove its host: they do
# not take that for a crash, and it goes on where it was.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

semaphores='single = 1'
for pair in 1,2 1,3 2,3; do proxied "${pair%,*}" "${pair#*,}"; done

# keeps_it HOST: asks for the permit there and does not get it, for the first still uses it.
keeps_it() {
    run "$1" --permit single --timeout 1s -- true 2>next.err
    [ $? -eq 121 ] || fail "$case: h$1 gets what is held at h2: $(cat next.err)"
    running "$(cat first.in)" || fail "$case: who held the permit has lost it: $(cat first.err)"
}

agree $'lease = "6s"\nsilence = "4s"\nreturn_within = "5s"'
configure 3
start_all
for kind in blackhole cut; do
    case="a goodbye that is not heard ($kind)"
    hold first 2 --permit single
    if [ $kind = blackhole ]; then fault blackhole 1,2 2,3; else cut_off 1,2 2,3; fi
    stop 2
    fault heal
    start 2
    keeps_it 1
    keeps_it 3
    case_ends
done
exit 0
