# Five hosts for ten minutes under everything at once: processes and machines are killed, links are cut, daemons and `allot run`
# are stopped, disks are damaged, slow and full, processes with the certificates of hosts send what cannot be right, strangers
# begin handshakes, and programs ask for too much. Two faults at a time, drawn from $seed. Sessions of the library and commands
# of `allot run` compete meanwhile, with a witness each. In the end every host serves every lock, without a person.
# $seconds: how long, at least; a fault of each kind comes in any case.
seconds=${seconds:-600}
seed=${seed:-1}
engine=hosts
. "$ALLOT_SOURCE_DIR/tests/cluster/lib.sh"
. "$ALLOT_SOURCE_DIR/tests/support/faults.sh"
trap 'for i in 1 2 3 4 5; do kill_jobs $i; done; end_all' EXIT

RANDOM=$seed
"$ALLOT" cert --dir certs h1 h2 h3 h4 h5 --force >/dev/null || fail "no certificates"
tls=$'certificate = "certs/HOST.pem"\nkey = "certs/HOST.key"\nauthority = "certs/ca.pem"'
for pair in 1,2 1,3 1,4 1,5 2,3 2,4 2,5 3,4 3,5 4,5; do proxied "${pair%,*}" "${pair#*,}"; done
agree $'lease = "3s"\nsilence = "1s"'
semaphores=$'builds = 2\nslots = '$job_units
rm -rf ./*.inside ./*.grants ./*.codes ./*.err slow? full? earlier? kept? jobs.end hostile*.txt refused.txt noise.txt
configure 5
with_page 1
for i in 1 2 3 4 5; do with_disk_faults $i; done
with_noise
start_all
for i in 1 2 3 4 5; do cp -r h$i earlier$i; done
CROWD_LOSES=1 CROWD_LONG=4 CROWD_REST=100 crowd $((seconds + 600)) 20 "$seed"
crowd_is_there 20
for i in 1 2 3 4 5; do jobs_at $i 2; done
began=$(now_ms)
passed() { echo $((($(now_ms) - began) / 1000)); }

kinds=(killed_daemon killed_guardian dead_machine stopped_daemon cut_links slow_disk full_disk damaged_disk hostile_host
    forged_leases strangers idlers askers namers killed_wrappers killed_commands stopped_wrappers stopped_both left_alone)
until [ "$(passed)" -ge "$seconds" ] && [ $((strikes * 2)) -ge ${#kinds[@]} ]; do
    strike 2 8
    echo "$(passed) s: ${struck_last[*]}"
    running $crowd_process || fail "the crowd has ended: $(head -n 5 crowd.err; cat crowd.out)"
done

# No more faults.
for i in 1 2 3 4 5; do wait_until 60 "h$i knows all members" members_are $i h1,h2,h3,h4,h5; done
jobs_end
crowd_stops
judge_jobs
one_token_each lock{0..14} job{0..3}
for i in 1 2 3 4 5; do
    run $i --permit builds=2 --permit slots=$job_units --timeout 20s -- true || fail "h$i does not get all units"
done
wait_until 30 "h1 is well" healthy
show_strikes
refusals=$(cat h?.log | grep -c 'is closed: it sent a message that cannot be right')
echo "$refusals links closed because of a message that cannot be right"
[ "$refusals" -gt 0 ] || fail "nobody has noticed a hostile host"
for i in 1 2 3 4 5; do echo "jobs of h$i ended with: $(sort jobs$i.codes | uniq -c | awk '{ printf "%s times %s, ", $1, $2 }')"; done
echo "$(passed) s, $((strikes * 2)) faults, $job_grants grants of jobs, longest wait $job_wait ms"
exit 0
