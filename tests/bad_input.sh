# Bad input: exit code 2, nothing on standard output, and one line that names what was wrong and what to write.
. "$ALLOT_SOURCE_DIR/tests/support/refused.sh"

refused '--sites 0: write a whole number from 1' check raymond --sites 0
refused '--permits 9: with --sites 3 write a number from 1 to 3' check raymond --permits 9 --sites 3
refused '--permits 0: with --sites 3' check raymond --permits 0 --sites 3
refused 'raymund: no such protocol; there is raymond' check raymund
refused '--without relay: this protocol has no repairs' check raymond --without relay
refused '--with relay: write all, or repairs of apply-crash' check permits-published --with relay
refused '--property mutex: raymond has at-most-k' check raymond --property mutex
refused '--colour' check raymond --colour red
refused '--sites three: write a whole number' check raymond --sites three
refused '--sites -1: write a whole number' check raymond --sites=-1
refused '--sites 99999999999: write a whole number' check raymond --sites 99999999999
refused '--graph cylce:5: write path:3, cycle:5' check raymond --graph cylce:5
refused '--graph grid:10: write path:3' check raymond --graph grid:10
refused '--graph edges:0-0: write path:3' check raymond --graph edges:0-0
refused '--graph path:3: raymond has no such parameter; it takes --sites or --permits' check raymond --graph path:3
refused '--bounds 1: write least,most for all sites, as in 1,4 or 1,*' check inclusion --bounds 1
refused '--bounds 1,1: site 0 could never change with at least 1 and at most 1' check composition --bounds 1,1
refused '--bounds 0,4: site 0 and its neighbours are 3, so no more can be in service' check composition --bounds 0,4
refused '--bounds 0,1;1,2: these are 2 pairs for 3 sites; write one for all, or one per site' check composition --bounds '0,1;1,2'
refused '--bounds 1,2: site 1 has an upper bound, which this protocol does not keep; write l,* or use escrow' check inclusion --bounds 1,2
refused '--bounds 1,2: site 0 has a lower bound, which this protocol does not keep; write 0,k or use escrow' check exclusion --bounds 1,2
refused '--initial IO: write I (in) or o (out) for each site' check inclusion --initial IO
refused '--initial Io: these are 2 letters for 3 sites; write one for all, or one per site' check inclusion --initial Io
refused '--initial Ioo: 0 of site 2 and its neighbours are in service; there must be 1 to 2' check inclusion --initial Ioo
refused '--graph edges:0-1,2-3: site 2 cannot be reached from site 0' check inclusion --graph edges:0-1,2-3
refused '--sites 3: inclusion has no such parameter; it takes --graph' check inclusion --sites 3
refused '--leader 5: the sites are 0 to 4' check sidetrack --leader 5
refused '--bounds 1,3: site 0 is 0 hops from the leader and needs l and k with k - l >= 3' check sidetrack --bounds 1,3
refused '--initial IIIIo: site 0 is 0 hops from the leader and needs 2 to 3 in service' check sidetrack --initial IIIIo
refused '--bounds 2,3;0,1;0,1: no configuration satisfies them at the start; write others' check composition --bounds '2,3;0,1;0,1'
refused '--resources 0: write a number from 1' check counters --resources 0
refused '--loans -1: write a whole number up to 4294967295, as in ' check counters --loans=-1
refused '--units -1: write a whole number up to 4294967295, as in 2' check tree-pool --units=-1
refused '--tree parents:-1,0,9: 9 is no site; the sites are 0 to 2' check tree-pool --tree parents:-1,0,9
refused '--tree parents:-1,0,x: write the parent of each site' check tree-pool --tree parents:-1,0,x
refused '--copies 0: write a whole number from 1' check tree-pool --copies 0
for fault in '--campers 1' '--lose 1' '--lose any' '--duplicate 1' '--crashes 1'; do
    refused "${fault% *}: an arbitrary start excludes further faults; leave it out, or leave out --start" \
        check tree-pool --start arbitrary $fault
done
refused '--samples 1000000: 255 of them use all of --memory 1M; write fewer, or more memory' \
    check tree-pool --start arbitrary --samples 1000000 --memory 1M
refused '--samples 5: add --start arbitrary' check tree-pool --samples 5
refused '--noise 1: add --start arbitrary' check tree-pool --noise 1
refused '--seed 2: add --start arbitrary' check tree-pool --seed 2
refused '--noise 2: add --start arbitrary or --corrupt-at TIMES' sim tree-pool --noise 2
refused '--demand 9: site 0 may ask for 1 unit' sim tree-pool --demand 9
refused '--timeout 4294967295, doubled 6 times (--backoff), is too long; write a number from 0 to' \
    check tree-pool --timeout 4294967295
refused '--improve faster: write all, none, or' check counters --improve faster
refused '--improve stop,stop: write all, none, or each once' check counters --improve stop,stop
refused '--max-request 3: with --resources 2 write a number from 0 (any) to 2' check counters --max-request 3
refused '--max-request 3: write a number from 1 to 2, as many as there are units' check tree-pool --units 2 --max-request 3
refused '--max-request 0: write a number from 1 to 2' check tree-pool --units 2 --max-request 0
refused '--units 0: write a number from 1 to 32768' check tree-pool --units 0
refused '--min-request 2: write a number from 0 to 1' check tree-pool --min-request 2
refused '--tree ring: write chain, star, binary or parents:-1,0,0' check tree-pool --tree ring
refused '--needs 1,2: write any, or units as in 1/3 (0: it never asks), for each site after ;' check tree-pool --needs 1,2
refused '--needs 1;1: these are the needs of 2 sites, with --sites 3' check tree-pool --needs '1;1'
refused '--needs 2: a request takes up to --max-request 1; write --max-request 2' sim tree-pool --needs 2
refused '--needs 1: leave --min-request out' swarm tree-pool --needs 1 --min-request 0
refused '--clients 0: write a whole number from 1 to 100000' check strong-weak --clients 0
refused '--resources 0: write a whole number from 1 to 100000' check ordered-chain --resources 0
refused '--sites 3: strong-weak has no such parameter; it takes --resources, --clients' check strong-weak --sites 3
refused '--max-request 3: write a whole number from 0 to 2' check strong-weak --resources 3 --max-request 3
refused '--min-request 0: write a whole number from 1 to 2' check strong-weak --min-request 0
refused '--founders 1: write a whole number from 2 to 4' check strong-weak --founders 1
refused '--wants some: write all, ring, cycle, or demands as in r0,r1/r1' check strong-weak --wants some
refused '--wants r0,r0: name each resource once' check strong-weak --wants r0,r0
refused '--wants r00,r1: write all, ring, cycle, or demands as in r0,r1/r1' check strong-weak --wants r00,r1
refused '--pace 5000: write a whole number from 0 to 1000' check strong-weak --pace 5000
refused '--pace 5000: write a whole number from 0 to 1000' sim ring-ticket --pace 5000
refused '--pace: its value is missing, --cancel follows' check strong-weak --pace --cancel
refused '130 sites: the checker cannot explore so many; write at most 64' check ring-ticket --clients 128
refused '--wants r0,r7: there is no resource r7; write some of r0 to r1' check strong-weak --wants r0,r7
refused '--wants r0,r1,r2: this protocol takes at most 2' check strong-weak --resources 3 --wants r0,r1,r2
refused '--wants r0;r1;r0: these are the demands of 3 clients, with --clients 2' check strong-weak --wants 'r0;r1;r0'
refused '--wants ring: needs --resources 2 or more' check strong-weak --resources 1 --wants ring
refused '--wants all: with --resources 17 these are more than 256 demands; write ring, cycle' check strong-weak --resources 17
refused '--wants all: with --resources 9 these are more than 256 demands' check ordered-chain --resources 9
refused '--wants all: with --resources 17 these are more than 256 demands' swarm strong-weak --resources 17
refused '--crashes 1: no site of strong-weak-published may crash; leave the flag out' check strong-weak-published --crashes 1
refused '--crashes 1: no site of strong-weak-published may crash' swarm strong-weak-published --crashes 1
refused '--crashes 1: no site of strong-weak-published may crash' sim strong-weak-published --crashes 1
refused '--crash 2@1s: no site of strong-weak-published may crash' sim strong-weak-published --crash 2@1s
refused '--crash 0@1s: site 0 of strong-weak never crashes; write another, such as 2' sim strong-weak --crash 0@1s
refused '--restarts 1: a site that is gone from strong-weak does not come back; for newcomers write --founders' \
    check strong-weak --crashes 1 --restarts 1
refused '--restarts 1: a site that is gone from ring-ticket does not come back' swarm ring-ticket --restarts 1
refused '--restart 2@2s: a site that is gone from ordered-chain does not come back; for newcomers write --founders and --join' \
    sim ordered-chain --crash 2@1s --restart 2@2s
refused '--popularity few: write even or zipf' sim strong-weak --popularity few
refused '--demand r0,r1,r2: this protocol takes at most 2 resources at once' sim strong-weak --resources 3 --demand r0,r1,r2
refused '--demand r2: there is no resource r2; write some of r0 to r1' sim strong-weak --demand r2
refused '--demand 2: name at least one resource' sim strong-weak --demand 2
refused '--normalise no: write on or off' check strong-weak --normalise no
refused 'there is a cycle; write parents that lead to site 0' check tree-pool --tree parents:-1,2,1
refused 'only site 0 is a root; write a parent for every other site' check tree-pool --tree parents:-1,-1,0
refused 'site 0 is the root; write -1 as its parent' check tree-pool --tree parents:1,-1,0
refused 'this is a tree of 2 sites; write --sites 2' check tree-pool --sites 3 --tree parents:-1,0
refused '--modulus 1: write 0 (enough for --cmax) or a number from 2 on' check tree-pool --modulus 1
refused '--stage half: write naive, pusher, priority or full' check tree-pool --stage half
refused '--noise 2: the controller has numbers for 1 stale messages per channel; write --cmax 2' \
    check tree-pool --start arbitrary --noise 2
refused '--noise any: write a whole number' check tree-pool --start arbitrary --noise any
refused '--lose some: write a whole number from 0 to 1000000, or any' check tree-pool --lose some
refused '--campers 3: the sites are 0 to 2' check tree-pool --campers 3
refused '--waits: the longest waits need the exact store' check tree-pool --waits --store fingerprint
refused '--tree ring: write chain' sim tree-pool --tree ring
refused '--wants r0,r0: name each resource once' check ring-ticket --wants r0,r0
refused '--wants r0,r0: name each resource once' check strong-weak-published --wants r0,r0 --with distinct-resources
refused 'this protocol takes at most 2 resources at once' check strong-weak-published --resources 3 --wants r0,r1,r2
refused '--literal perhaps: write on or off' check ring-ticket --literal perhaps
refused '--requests 2,2: these are 2 numbers for 3 sites' check raymond --requests 2,2
refused '--requests few: write a number, any' check raymond --requests few
refused '--crashes x: write a whole number' check raymond --crashes x
refused '--trust thick: write dense, sparse or anchor' check raymond --trust thick
refused '--anchor 3: the sites are 0 to 2' check raymond --anchor 3
refused '--links tcp: write own, fifo, unordered or lossy' check raymond --links tcp
refused '--cancel: raymond has no cancel' check raymond --cancel
refused '--memory lots: write a size, as in 4G' check raymond --memory lots
refused '--limit soon: write a time, as in 60s' check raymond --limit soon
refused '--threads 0: write a whole number from 1' check raymond --threads 0
refused '--store heap: write exact or fingerprint' check raymond --store heap
refused '--start anywhere: write boot or arbitrary' check raymond --start anywhere
refused '--start arbitrary: raymond does not say which worlds are legitimate' check raymond --start arbitrary
refused '65 sites: the checker cannot explore so many; write at most 64' check raymond --sites 65
refused '--crashes 1: with 17 sites a crash can interrupt a step in too many ways; write at most 16, with --sites' check raymond --sites 17 --crashes 1
refused '--property convergence: add --start arbitrary' check raymond --property convergence
refused '--memory 99999999999G: write a size' check raymond --memory 99999999999G
refused '--out /: cannot write this file' check raymond --out /
refused 'raymund: no such protocol; there is raymond' swarm raymund
refused '--runs 0: write a whole number from 1' swarm raymond --runs 0
refused '--runs many: write a whole number' swarm raymond --runs many
refused '--seed x: write a whole number' swarm raymond --seed x
refused '--run -1: write a whole number' swarm raymond --run=-1
refused '--threads 0: write a whole number from 1 to 64' swarm raymond --threads 0
refused '--limit soon: write a time, as in 60s' swarm raymond --limit soon
refused '--out /: cannot write this file' swarm raymond --out /
refused '--sites 5000: write a whole number from 1 to 1000' swarm raymond --sites 5000
refused '--permits 9: with --sites 3 write a number from 1 to 3' swarm raymond --permits 9 --sites 3
refused '--crashes x: write a whole number' swarm raymond --crashes x
refused '--cancel: raymond has no cancel' swarm raymond --cancel
refused '--without relay: this protocol has no repairs' swarm raymond --without relay
refused '--property mutex: raymond has at-most-k' swarm raymond --property mutex
refused '--graph path:3: raymond has no such parameter' swarm raymond --graph path:3
refused '--colour' swarm raymond --colour red
refused 'protocol is required' swarm
refused 'no such file, or it cannot be read' play .
refused 'protocol is required' check
refused 'A subcommand is required'
refused 'chekc: no such command; there is ' chekc raymond
refused 'missing.txt: no such file' play missing.txt
refused '--show semaphore:99: no such erratum; there is 1, 2' errata --show semaphore:99
refused '--show 99: no such erratum' errata --show 99 --problem semaphore
refused '--show tea:1: no such problem; there are errata of' errata --show tea:1
refused '--problem tea: no such problem; there are errata of' errata --problem tea
refused '--run semaphore:99: no such erratum' errata --run semaphore:99
refused '--run semaphore:7: no command shows this erratum; it is only listed' errata --run semaphore:7

refused 'tea: no such figure; there is crashes' figures tea
refused '--seeds 0: write a whole number from 1' figures crashes --seeds 0
refused '--seeds few: write a whole number' figures crashes --seeds few
refused '--out /dev/null/here: cannot make this directory' figures crashes --out /dev/null/here
refused '--out /proc: cannot write a file there' figures crashes --out /proc
refused '--colour' figures crashes --colour red

refused 'raymund: no such protocol; there is raymond' sim raymund
refused '--sites 0: write a whole number from 1' sim raymond --sites 0
refused '--permits 9: with --sites 3 write a number from 1 to 3' sim raymond --permits 9
refused '--time 0: write a time, as in 10s' sim raymond --time 0
refused '--time soon: write a time, as in 10s, 0.6ms or 20us' sim raymond --time soon
refused '--warm-up 10s: write less than --time 10s' sim raymond --warm-up 10s
refused '--latency 5: write a time, as in 0.6ms, uniform:0.2ms..1ms or exponential:0.6ms' sim raymond --latency 5
refused '--latency uniform:2ms..1ms: the shorter time comes first; write uniform:1ms..2ms' sim raymond --latency uniform:2ms..1ms
refused '--think -1ms: write a time' sim raymond --think=-1ms
refused '--hold normal:1ms: write a time' sim raymond --hold normal:1ms
refused '--hold sized:5ms: write times for one unit and for all' sim counters --hold sized:5ms
refused '--hold sized:5ms..9ms~half: write times for one unit' sim counters --hold sized:5ms..9ms~half
refused '--think sized:5ms..9ms: write a time' sim counters --think sized:5ms..9ms
refused '--requests 1,2: these are 2 numbers for 3 sites' sim raymond --requests 1,2
refused '--requests few: write a number, any' sim raymond --requests few
refused '--demand 0: write units, as in 3, resources, as in a,b, or any' sim raymond --demand 0
refused '--demand r0,r0: name each resource once, as in a,b' sim counters --demand r0,r0
refused '--demand r0,r1,r2: site 0 may ask for resources, each once, out of r0 and r1' sim counters --demand r0,r1,r2
refused '--demand db: site 0 may ask for resources, each once, out of r0' sim incremental --resources 1 --demand db
refused '--campers 3: the sites are 0 to 2' sim raymond --campers 3
refused '--campers x: write sites, as in 0,3,7' sim raymond --campers x
refused '--give-up soon: write a time, as in 0.6ms, uniform:0.2ms..1ms or exponential:0.6ms (the mean), or never' sim counters --give-up soon
refused '--give-up 1ms: raymond has no cancel' sim raymond --give-up 1ms
refused '--links tcp: write own, fifo, unordered or lossy' sim raymond --links tcp
refused '--tick 0: write a time, as in 1ms' sim raymond --tick 0
refused '--crashes 4: write a whole number from 0 to 3' sim raymond --crashes 4
refused '--crash-from 9s: write no more than --crash-to 5s' sim raymond --crashes 2 --crash-from 9s
refused '--crash 2: write sites and times, as in 2@1s' sim raymond --crash 2
refused '--crash 3@1s: the sites are 0 to 2' sim raymond --crash 3@1s
refused '--crash 1@1s: site 1 is the anchor, which never crashes' sim raymond --crash 1@1s --anchor 1
refused '--crash-inside 101: write a whole number from 0 to 100' sim raymond --crash-inside 101
refused '--restart 1@x: write sites and times' sim raymond --restart 1@x
refused '--leave: a site of raymond cannot leave' sim raymond --leave 1@1s
refused '--join 2@1s: site 2 is a founder; write --founders 2 or less' sim raymond --join 2@1s
refused '--founders 4: write a whole number from 1 to 3' sim raymond --founders 4
refused '--trust thick: write dense, sparse or anchor' sim raymond --trust thick
refused '--trust anchor: write --anchor SITE with it' sim raymond --trust anchor
refused '--anchor 3: the sites are 0 to 2' sim raymond --anchor 3
refused '--anchor x: write a site, none, or own' sim raymond --anchor x
refused '--verify x: write a whole number' sim raymond --verify x
refused '--patience long: write a time' sim raymond --patience long
refused '--seed x: write a whole number' sim raymond --seed x
refused '--seeds 0: write a whole number from 1' sim raymond --seeds 0
refused '--limit soon: write a time, as in 60s' sim raymond --limit soon
refused '--log /: cannot write this file' sim raymond --log /
refused '--graph path:3: raymond has no such parameter; it takes --sites or --permits' sim raymond --graph path:3
refused '--without relay: this protocol has no repairs' sim raymond --without relay
refused '--backlog' sim raymond --backlog 3
refused '--demand 3: site 0 may ask for 1 unit' sim raymond --demand 3
refused '--demand 3: site 0 may ask for 1 unit' sim permits --demand 3
refused '--runs "": the value is empty; write one' swarm raymond --runs ''
refused '--limit "": the value is empty' check raymond --limit ''
refused '--out "": the value is empty' check raymond --out ''
refused 'protocol is required' sim

# Instances of the problem of neighbourhoods.
refused '--graph is required' feasible --bounds 0,1
refused '--graph ring:3: write path:3, cycle:5' feasible --graph ring:3 --bounds 0,1
refused '--bounds 1: write least,most for all sites' feasible --graph path:3 --bounds 1
refused '--bounds 1,1: site 0 could never change with at least 1 and at most 1' feasible --graph path:3 --bounds 1,1
refused '--bounds 0,3: site 0 and its neighbours are 2, so no more can be in service' feasible --graph path:3 --bounds 0,3
refused '--graph edges:0-1,2-3: site 2 cannot be reached from site 0' feasible --graph edges:0-1,2-3 --bounds 0,1
refused '--initial Ioo: 0 of site 2 and its neighbours are in service; there must be 1 to 2' \
    feasible --graph path:3 --bounds '1,*' --initial Ioo
refused '--initial IO: write I (in) or o (out) for each site' feasible --graph path:3 --bounds 0,1 --initial IO
refused '--effort 0: write a whole number from 1' feasible --graph path:3 --bounds 0,1 --effort 0
refused '--list 0: write a whole number from 1 to 1000000' feasible --graph path:3 --bounds 0,1 --list 0
infeasible='site 1 can never turn round: all 3 configurations that can be reached leave no room for it; write other bounds or another start, or --infeasible allow (escrow then tells the site so)'
for command in check sim swarm; do
    for protocol in composition escrow; do
        refused "--bounds 0,1;1,2;0,1: $infeasible" $command $protocol --graph path:3 --bounds '0,1;1,2;0,1' --initial Ioo
    done
done
for protocol in inclusion exclusion composition sidetrack escrow; do
    refused "--crashes 1: no site of $protocol may crash; leave the flag out" check $protocol --crashes 1
    refused "--crashes 1: no site of $protocol may crash; leave the flag out" sim $protocol --crashes 1
    refused "--crash 1@1s: no site of $protocol may crash" sim $protocol --crash 1@1s
done
refused '--graph complete:20000: write a graph with at most 4000000 edges' feasible --graph complete:20000 --bounds 1,2
refused '--bounds 2,5;1,4;1,4;1,4;0,3: no configuration keeps to them and has a reserve near the leader' \
    check sidetrack --bounds '2,5;1,4;1,4;1,4;0,3'
refused '--infeasible maybe: write refuse or allow' check escrow --infeasible maybe
refused '--coordinator 3: the sites are 0 to 2, or write middle' check escrow --graph path:3 --bounds 0,1 --coordinator 3
refused '--coordinator x: write a whole number from 0 to 4294967295, or middle' check escrow --coordinator x

scenario 'protocol raymond sites=3' 'request 7'
refused 'scenario.txt:2: ' play --quiet scenario.txt
grep -q '0 to 2' err.txt || { failed=$((failed + 1)); echo "request 7: the sites there are were not named"; }
scenario 'protocol raymond sites=3' 'reqest 1'
refused 'scenario.txt:2: ' play --quiet scenario.txt
grep -q 'request' err.txt || { failed=$((failed + 1)); echo "reqest: the verbs there are were not named"; }
scenario 'protocol raymund'
refused 'scenario.txt:1: ' play --quiet scenario.txt
scenario 'protocol raymond sites=3 permits=9'
refused 'scenario.txt:1: ' play --quiet scenario.txt
scenario 'request 1'
refused 'scenario.txt:1: ' play --quiet scenario.txt
scenario 'protocol raymond sites=3' 'state 0 {"deferred": []}'
refused 'scenario.txt:2: ' play --quiet scenario.txt
for demand in '' r0,r0 r0,r1,r2 r7; do
    scenario 'protocol counters resources=2' "request 0 $demand"
    refused 'site 0 may ask for resources, each once, out of r0 and r1' play --quiet scenario.txt
done
scenario 'protocol raymond sites=2' 'deliver 0 -> 1'
refused 'scenario.txt:2: ' play --quiet scenario.txt

# Commands that talk to a daemon refuse what makes no sense before they look for one.
refused 'no command; write it after --' run --lock db
refused 'make: write -- before the command, as in `allot run --lock db -- make all`' run --lock db make all
refused '--colour: no such flag' run --lock db --colour red -- true
refused 'make: write -- before the command' run --lock db make -j4
refused '--lok: no such flag (did you mean "--lock"?)' run --lok db -- true
refused '--permit builds=1=2: write NAME or NAME=UNITS' run --permit builds=1=2 -- true
refused 'run: no resource is named; write --lock NAME or --permit NAME=UNITS' run -- true
refused 'lock db: it is named twice' run --lock db,gpu0 --lock db -- true
refused 'the name of a lock is empty' run --lock db,,gpu0 -- true
refused '--lock "": the value is empty' run --lock '' -- true
refused '--permit builds=0: write NAME or NAME=UNITS, with 1 to 1000000 units' run --permit builds=0 -- true
refused '--permit builds=two: write NAME or NAME=UNITS' run --permit builds=two -- true
refused 'the name of a semaphore is empty' run --permit =2 -- true
refused 'permit builds: it is named twice; add the units up' run --permit builds=1,builds -- true
refused '--timeout soon: write a time, as in 60s' run --lock db --timeout soon -- true
refused '--start arbitrary: raymond does not say which worlds are legitimate' sim raymond --start arbitrary
refused '--corrupt-at soon: write times' sim raymond --corrupt-at soon
refused '--noise any: write a whole number from 0 to 1000' sim raymond --noise any
refused '--noise 4294967295: write a whole number from 0 to 1000' sim tree-pool --start arbitrary --noise 4294967295
refused '--timeout 999999h: write a time' run --lock db --timeout 999999h -- true
refused '--timeout excludes --no-wait' run --lock db --timeout 1s --no-wait -- true
refused '--patience requires --no-wait' run --lock db --patience 1s -- true
refused '--patience never: write a time' run --lock db --no-wait --patience never -- true
refused '--grace 0s: write a time' run --lock db --grace 0s -- true
refused '--socket tls:build7:7400: write the path of a Unix socket; --at HOST:PORT names a daemon on another host' run --lock db --socket tls:build7:7400 -- true
refused '--at build7: write HOST:PORT, as in build7:7481' run --at build7 --lock db -- true
refused '--at tls:build7:7481: write HOST:PORT' run --at tls:build7:7481 --lock db -- true
refused '--at build7:7481,: an address is empty; write HOST:PORT,HOST:PORT' run --at build7:7481, --lock db -- true
refused '--at build8: write HOST:PORT, as in build7:7481' run --at build7:7481,build8 --lock db -- true
refused '--at build7:7481,build7:7481: build7:7481 is named twice; name each address once' status --at build7:7481,build7:7481
ALLOT_AT=,build7:7481 refused 'ALLOT_AT ,build7:7481: an address is empty' status
refused 'server name "a,b,c": write one name for all addresses, or one for each (2), in their order' \
    status --at build7:7481,build8:7481 --ca ca.pem --cert ci.pem --key ci.key --server-name a,b,c
ALLOT_AT=build7 refused 'ALLOT_AT build7: write HOST:PORT, as in build7:7481' status
ALLOT_SOCKET=tls:build7 refused 'ALLOT_SOCKET tls:build7: write host:port' status
refused '--socket excludes --at' run --at build7:7481 --socket x --lock db -- true
refused 'tls:build7:7481: the authority of the daemon'"'"'s certificate is missing; write --ca FILE, or set ALLOT_CA' \
    run --at build7:7481 --lock db -- true
refused 'the certificate of this program is missing; write --cert FILE, or set ALLOT_CERT' status --at build7:7481 --ca ca.pem
refused 'authority "ca.pem": No such file or directory; name a file in PEM' \
    status --at build7:7481 --ca ca.pem --cert ci.pem --key ci.key
refused '--ca, --cert, --key and --server-name need --at HOST:PORT' status --ca ca.pem
refused '--interval requires --watch' status --interval 1s
refused '--interval 0: write a time' status --watch --interval 0
refused '--interval requires --watch; write both, or neither' status --interval 1s
refused '--timeout excludes --no-wait; write one of them' run --lock db --timeout 1s --no-wait -- true
refused 'lock db: it is named twice; name it once' run --lock db,db -- true
refused 'name is required (the lock or semaphore)' release
refused 'write the configuration of this host, as in --config host.toml' cluster init
refused 'node: no configuration; write --config FILE' node
refused '--semaphore a\nb=2: write a name and a number of permits' up --semaphore $'a\nb=2'

# Audit logs: which file, and what to write.
mkdir -p folder
: >empty.log
refused 'log: no log is named; write its FILE, or --config FILE' log
refused 'none.log: No such file or directory; write the path of an audit log' log none.log
refused 'folder: this is a folder; write the path of an audit log' log folder
refused 'empty.log and --config host.toml: write one of them' log empty.log --config host.toml
refused '--since yesterday: write how long ago, as in 90s, 30m or 1h' log empty.log --since yesterday
refused '--last 0: write a whole number from 1' log empty.log --last 0
[ "$("$ALLOT" log empty.log)" = 'No line of the log matches.' ] || { echo "an empty log is not said to be empty"; failed=$((failed + 1)); }
refused 'empty.log: Not a directory; write --dir with a folder' cert --dir empty.log a

# Configurations of hosts: which file, which line, and what to write.
# config_refused EXPECTED_TEXT LINES...
config_refused() {
    local expected=$1
    shift
    printf '%s\n' "$@" >host.toml
    refused "$expected" node --config host.toml
}
rm -rf state  # of an earlier run of these tests
refused 'missing.toml: cannot read this file' node --config missing.toml
config_refused 'host.toml: host is missing' 'state = "s"'
config_refused 'host.toml:2: sokcet: no such setting; there is' 'host = "a"' 'sokcet = "x"'
config_refused 'host.toml:3: register.leese: no such setting' 'host = "a"' '[register]' 'leese = "1s"'
config_refused 'host.toml:3: register.engine: write "hosts", "file" or "etcd"' 'host = "a"' '[register]' 'engine = "raft"'
config_refused 'host.toml: register.key is missing; write a key of etcd' 'host = "a"' '[register]' 'engine = "etcd"' 'endpoints = ["http://[::1]:1"]'
config_refused 'host.toml:4: register.endpoints: "etcd": it does not begin with https' 'host = "a"' '[register]' 'engine = "etcd"' 'endpoints = ["etcd"]'
config_refused 'host.toml:3: detector.dead_after is gone: write bootstrap.silence' 'host = "a"' '[detector]' 'dead_after = "5s"'
# moved LINE FORMER SUCCESSOR LINES...: one line names the new place, and how to rewrite the file.
moved() {
    local line=$1 former=$2 successor=$3
    shift 3
    config_refused "host.toml:$line: $former is gone: write $successor; \`allot node --migrate host.toml\` rewrites the file" 'host = "a"' "$@"
}
moved 2 '[cluster.hosts]' '[bootstrap.hosts]' '[cluster.hosts]' 'a = "127.0.0.1:1"'
moved 2 '[semaphores]' '[bootstrap.semaphores]' '[semaphores]' 'builds = 2'
moved 2 '[[mode]]' '[[bootstrap.mode]]' '[[mode]]' 'names = ["a"]'
moved 3 register.voters bootstrap.voters '[register]' 'voters = ["a"]'
moved 3 locks.seats bootstrap.seats '[locks]' 'seats = 7'
for time in lease grace silence return_within; do moved 3 "register.$time" "bootstrap.$time" '[register]' "$time = \"1s\""; done
config_refused 'host.toml:2: socket: write a text' 'host = "a"' 'socket = 7'
config_refused 'host.toml:3: bootstrap.semaphores.builds: write the number of permits, from 1 to 10000' 'host = "a"' '[bootstrap.semaphores]' 'builds = 0'
config_refused 'host.toml:2: log_level: write "debug", "info", "warning" or "error"' 'host = "a"' 'log_level = "loud"'
config_refused 'host.toml:4: allow.read: write "none", "names" or "all"' 'host = "a"' '[[allow]]' 'users = ["*"]' 'read = "some"'
config_refused 'host.toml:3: status.redact: "*": write the text before a secret and *' 'host = "a"' '[status]' 'redact = ["*"]'
config_refused 'host.toml: https: it needs certificates; add [tls]' 'host = "a"' 'https = "127.0.0.1:1"'
config_refused 'host.toml:3: bootstrap.semaphores: "a,b": no program can ask for this name; write one without' 'host = "a"' '[bootstrap.semaphores]' '"a,b" = 1'
config_refused 'host.toml:3: bootstrap.semaphores: "": no program can ask for this name; write one without' 'host = "a"' '[bootstrap.semaphores]' '"" = 1'
refused '--semaphore a=2: this semaphore is named twice; name each one once' up --semaphore a=1 --semaphore a=2
config_refused 'host.toml:3: bootstrap.lease: write a time' 'host = "a"' '[bootstrap]' 'lease = 5'
config_refused 'host.toml: bootstrap.lease: write at least "600ms"' 'host = "a"' '[bootstrap]' 'lease = "1ms"'
refused '--fresh is gone' node --fresh --config host.toml
config_refused 'host.toml: audit: write file = "..." or journal = true, not both' 'host = "a"' '[audit]' 'file = "x"' 'journal = true'
config_refused 'host.toml:3: audit.journal: write true or false' 'host = "a"' '[audit]' 'journal = "yes"'
printf '%s\n' 'host = "a"' '[register]' 'engine = "file"' 'file = "register"' >host.toml
refused '--voters: all hosts share one file; leave it out' cluster init --voters a --config host.toml
refused 'cluster start: no such action; write show' cluster start --config host.toml
config_refused 'host "a" is not in bootstrap.hosts' 'host = "a"' '[bootstrap]' 'hosts = { b = "127.0.0.1:1" }'
config_refused 'host.toml:2: allow.users: "@ci*" is no user; write a user' 'host = "a"' '[[allow]]' 'users = ["ann", "@ci*"]'
config_refused 'host.toml:2: ' 'host = "a"' 'state = '
config_refused 'host "a"' 'host = "a"' '[bootstrap.hosts]' 'b = "127.0.0.1:1"'
config_refused 'links beyond this machine need TLS' 'host = "a"' 'socket = "a.sock"' 'state = "state"' \
    '[bootstrap.hosts]' 'a = "127.0.0.1:0"' 'b = "10.0.0.1:7400"'

# A daemon that is refused leaves nobody behind who holds its output open.
# starts_nothing EXPECTED_TEXT LINES...
starts_nothing() {
    local expected=$1
    shift
    rm -rf state
    printf '%s\n' 'host = "a"' 'state = "state"' "$@" >host.toml
    timeout 5 bash -c '"$ALLOT" node --config host.toml 2>&1 | cat' >refusal.txt
    if [ $? -eq 0 ] && grep -qF -- "$expected" refusal.txt && [ ! -e state/guardian.lock ]; then
        passed=$((passed + 1))
    else
        echo "FAILED: after \"$expected\" a guardian runs: $(cat refusal.txt)"
        failed=$((failed + 1))
    fi
}
starts_nothing 'links beyond this machine need TLS' 'socket = "a.sock"' '[bootstrap.hosts]' 'a = "127.0.0.1:0"' 'b = "10.0.0.1:7400"'
starts_nothing 'socket: ' 'socket = "missing/a.sock"'
starts_nothing 'missing/audit' 'socket = "a.sock"' '[audit]' 'file = "missing/audit"'
starts_nothing 'none.pem' 'socket = "a.sock"' '[tls]' 'authority = "none.pem"' 'certificate = "none.pem"' 'key = "none.pem"'

# Two daemons with one state.
printf '%s\n' 'host = "a"' 'socket = "a.sock"' 'state = "state"' >host.toml
"$ALLOT" node --config host.toml 2>daemon.txt &
daemon=$!
for _ in $(seq 500); do
    grep -q 'is ready' daemon.txt && break
    sleep 0.02
done
refused 'state: another daemon runs with this state folder' node --config host.toml
kill $daemon
wait $daemon || failed=$((failed + 1))

# The guardian outlives the daemon for some seconds; whoever reads the log to its end does not wait for it.
rm -rf state
printf '%s\n' '[bootstrap]' 'lease = "600ms"' 'grace = "100ms"' 'silence = "300ms"' >>host.toml
rm -f log.fifo
mkfifo log.fifo
timeout 20 cat log.fifo >daemon.txt &
reader=$!
"$ALLOT" node --config host.toml >log.fifo 2>&1 &
daemon=$!
for _ in $(seq 500); do
    grep -q 'is ready' daemon.txt && break
    sleep 0.02
done
"$ALLOT" run --socket a.sock --lock db -- true && kill $daemon && wait $daemon
since=$SECONDS
wait $reader
if [ $? -eq 0 ] && [ $((SECONDS - since)) -lt 5 ]; then
    passed=$((passed + 1))
else
    echo "FAILED: the log of a daemon that has stopped stays open: $(cat daemon.txt)"
    failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
