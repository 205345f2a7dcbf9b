# A register that an operator begins anew, while a host is away that knows the former one. That host comes back by
# itself, and what it remembers of the former voters does not keep the present ones from voting.
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"

configure 3
start_all
newcomer 4
join 4 1
start 4
wait_until 20 "h4 is a member" has_member 1 h4
run_on() { "$ALLOT" run --socket "./h$1.sock" --lock db --timeout 20s -- true || fail "h$1 does not serve"; }
for i in 1 2 3 4; do run_on $i; done
for i in 4 3 2 1; do stop $i; done
for i in 1 2 3; do "$ALLOT" cluster init --above 1000 --config "h$i.toml" || fail "h$i begins anew"; done
for i in 1 2 3; do start $i; done
for i in 1 2 3; do run_on $i; done

start 4
wait_until 20 "h4 is a member again" has_member 1 h4
for i in 1 2 3 4; do run_on $i; done
# Votes and the records that a host uses are on the disks.
for i in 4 3 2 1; do stop $i; done
for i in 1 2 3 4; do start $i; done
for i in 1 2 3 4; do run_on $i; done
grep -h 'votes no more' h*.log && fail "a voter threw its disk away"
echo "h4 has followed the register that was begun anew"
