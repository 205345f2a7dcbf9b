# More bad input, for every command of the laboratory. A line of a table is `fragment | arguments`: the answer must name
# the flag or value at fault, in one line, with exit code 2.
. "$ALLOT_SOURCE_DIR/tests/support/refused.sh"

# table COMMAND <<lines; arguments are split like in a shell, without wildcards
table() {
    local expected arguments words
    while IFS='|' read -r expected arguments; do
        [ -n "$expected" ] || continue
        eval "words=($arguments)"
        refused "${expected% }" "$@" "${words[@]}"
    done
}
set -f

# --- What every command says of flags and words that it does not know.
table <<'END'
chck: no such command; there is | chck raymond
(did you mean "check"?) | chck raymond
swram: no such command | swram raymond
(did you mean "swarm"?) | swram raymond
(did you mean "errata"?) | erata
chekc: no such command | help chekc
(did you mean "check"?) | help chekc
--colour: no such flag | --colour
-x: not expected here | -x
A subcommand is required | ''
--help-me: no such flag | check --help-me
--verison: no such flag (did you mean "--version"?) | --verison
END

# --- Control characters are shown as escapes, so an error stays in one line.
table <<'END'
ray\nmond: no such protocol | check $'ray\nmond'
\x1b[31mraymond: no such protocol | check $'\e[31mraymond'
--property x\ny: raymond has at-most-k | check raymond --property $'x\ny'
--latency 1ms\n2ms: write a time | sim raymond --latency $'1ms\n2ms'
two\tlocks: write a name | new $'two\tlocks'
chk\rx: no such command | $'chk\rx'
END

# --- Help is of something that exists.
table <<'END'
raymnd: no such protocol; there is raymond | help check raymnd
(did you mean "raymond"?) | help check raymnd
bogus: no such protocol | check bogus --help
bogus: no such protocol | swarm --help bogus
permitz: no such protocol | sim raymond,permitz --help
permits: not expected here | help check raymond permits
raymund: no such protocol | protocols raymund --help
path:3: not expected here | help feasible path:3
--site: no such flag (did you mean "--sites"?) | check raymond --site 3 --help
END

# --- Two outputs are two files.
table <<'END'
--plot same.x: --csv names this file, too; write two files | sim raymond --sites 3,4 --csv same.x --plot same.x
--plot ./same.x: --csv names this file, too | sim raymond --sites 3,4 --csv same.x --plot ./same.x
--plot -: --csv names this file, too | sim raymond --sites 3,4 --csv - --plot -
--out same.x: --checkpoint names this file, too; write two files | check raymond --checkpoint same.x --out same.x
END

# --- check
table check <<'END'
permits: not expected here | raymond permits
"": not expected here | raymond ''
protocol "": the value is empty; write one | ''
Raymond: no such protocol | Raymond
(did you mean "raymond"?) | Raymond
(did you mean "tree-pool"?) | tree-pol
(did you mean "counters-published"?) | counters-publishd
protocol is required | --sites 3
--sites: its value is missing | raymond --sites
--sites: its value is missing | raymond --sites=
--sites "": the value is empty | raymond --sites ''
--sites: it is given twice; write it once | raymond --sites 3 --sites 4
--sites: it is given twice | raymond --sites 3 --sites 3
--permits: it is given twice | raymond --permits 2 --permits 1
--threads: it is given twice | raymond --threads 1 --threads 2
--json: it is given twice | raymond --json --json
--cancel: it is given twice | permits --cancel --cancel
--without: it is given twice | permits --without relay --without apply-crash
--sites 3.5: write a whole number | raymond --sites 3.5
--sites +3: write a whole number | raymond --sites +3
--sites 0x3: write a whole number | raymond --sites 0x3
--sites 1e3: write a whole number | raymond --sites 1e3
--sites 18446744073709551616: write a whole number | raymond --sites 18446744073709551616
-sites: not expected here | raymond -sites 3
--site: no such flag (did you mean "--sites"?) | raymond --site 3
--Sites: no such flag (did you mean "--sites"?) | raymond --Sites 3
--permist: no such flag (did you mean "--permits"?) | raymond --permist 3
--crash: no such flag | raymond --crash 2@1s
--proprety: no such flag (did you mean "--property"?) | raymond --proprety=at-most-k
--permits all: write a whole number | raymond --permits all
--requests 1,,2: write a number, any | raymond --requests 1,,2
--requests any,any: these are 2 numbers for 3 sites | raymond --requests any,any
--requests 4294967295: write a number, any | raymond --requests 4294967295
--crashes -1: write a whole number from 0 to 1000000 | raymond --crashes -1
--crashes any: write a whole number from 0 to 1000000 | raymond --crashes any
--crashes 1000001: write a whole number from 0 to 1000000 | raymond --crashes 1000001
--restarts 1: no site crashes, so none restarts; add --crashes 1 | raymond --restarts 1
--restarts 2: no site crashes | raymond --restarts 2 --crashes 0
--restarts 1: no site crashes | tree-pool --start arbitrary --restarts 1
--duplicate x: write a whole number from 0 to 1000000 | raymond --duplicate x
--lies some: write a whole number from 0 to 1000000 | raymond --lies some
--backlog -1: write a whole number from 0 to 1000000 | raymond --backlog=-1
--copies x: write a whole number from 0 to 1000000 | raymond --copies x
--lose -1: write a whole number from 0 to 1000000, or any | raymond --lose=-1
--trust: its value is missing | raymond --trust
--trust Dense: write dense, sparse or anchor (did you mean "dense"?) | raymond --trust Dense
--trust anchor: write --anchor SITE with it | raymond --trust anchor
--anchor all: write a site, none, or own | raymond --anchor all
--ranks maybe: write own, on or off | raymond --ranks maybe
--normalise: its value is missing | raymond --normalise
--campers 0,x: write sites | raymond --campers 0,x
--campers 0,3: the sites are 0 to 2 | raymond --campers 0,3
(did you mean "at-most-k"?) | raymond --property at-most-kk
--property at-most-k,: write a value before and after each comma | raymond --property at-most-k,
--property deadlock,deadlock: deadlock is there twice; write it once | raymond --property deadlock,deadlock
--property deadlock,deadlock: deadlock is there twice | raymond --property deadlock --property deadlock
--campers 0,1,0: 0 is there twice; write it once | raymond --campers 0,1,0
--sites: flags stand before --; leave -- out | raymond -- --sites 4
(did you mean "raymond"?) | RAYMOND
(did you mean "at-most-k"?) | raymond --property AT-MOST-K
--property all: raymond has at-most-k | raymond --property all,at-most-k
--threads 65: write a whole number from 1 to 64 | raymond --threads 65
--threads 1.5: write a whole number from 1 to 64 | raymond --threads 1.5
--memory 0G: write a size | raymond --memory 0G
--memory 4: write a size | raymond --memory 4
--memory infG: write a size | raymond --memory infG
--memory nanG: write a size | raymond --memory nanG
--memory -4G: write a size | raymond --memory=-4G
--limit 0: write a time, as in 60s, 500ms or 2m, and more than 0 | raymond --limit 0
--limit 5: write a time | raymond --limit 5
s: not expected here | raymond --limit 5 s
--store Exact: write exact or fingerprint (did you mean "exact"?) | raymond --store Exact
--samples 0: write a whole number from 1 to 1000000 | tree-pool --start arbitrary --samples 0
--noise 1001: write a whole number from 0 to 1000 | tree-pool --start arbitrary --noise 1001
--lies: an arbitrary start excludes further faults | tree-pool --start arbitrary --lies 1
--out /nonexistent/x.txt: cannot write this file | raymond --out /nonexistent/x.txt
--json: it takes no value; write the flag alone | raymond --json=maybe
--json: it takes no value; write the flag alone | raymond --json=false
--cancel: it takes no value; write the flag alone | permits --cancel=off
--starts: it takes no value; write the flag alone | raymond --starts=yes
--start-up: its value is missing; write one after the = | permits --start-up=
--full: it takes no value | raymond --full=perhaps
on: not expected here | raymond --full on
--recovered all: write queues or users | views-permits --recovered all
--recovered queues: no line of host-chain outlives its epoch | views-devices --recovered queues
--bound r0: write none, or devices with their hosts as in r0:2,r1:0 | views-devices --bound r0
--bound r5:0: there is no resource r5; write some of r0 to r1 | views-devices --bound r5:0
--bound r0:3: there is no host 3; write 0 to 2 | host-chain --bound r0:3
--wants r0;r1: these are the demands of 2 hosts, with --sites 3 | host-chain --wants 'r0;r1'
--founders 9: write a number from 1 to 3 | permits --founders 9
--max-request 2: write a number from 1 to 1 | permits --max-request 2 --permits 1
--start-up maybe: write on or off | permits --start-up maybe
--with relay: --without names it, too; write one of the two flags | permits --without relay --with relay
--with all: --without names it, too | permits --without all --with all
--with relay: --without names it, too | permits --without apply-crash,relay --with relay
--without relay,: write a value before and after each comma | permits --without relay,
--without relay,relay: relay is there twice; write it once | permits --without relay,relay
--without relay,all: all names every repair; write it alone | permits --without relay,all
(did you mean "relay"?) | permits --without reley
--with nothing: write all, or repairs of | permits --with nothing
--resources 4294967295: write a number from 1 to 100000 | counters --resources 4294967295
--homes 9: write a number from 0 | counters --homes 9
--improve stop,: write all, none, or each once | counters --improve stop,
--control keep: write pass, hold, lock or section | control-token --control keep
--policy lifo: write fit or fifo | ideal --policy lifo
--resources 2: naimi-trehel has no such parameter; it takes --sites | naimi-trehel --resources 2
--max-request 9: with --resources 2 write a number from 0 | incremental --max-request 9
--tree parents:: write the parent of each site | tree-pool --tree parents:
--tree binary:3: write chain, star, binary | tree-pool --tree binary:3
--units 99999: write a number from 1 to 32768 | tree-pool --units 99999
--cmax 4294967295: there are not enough numbers | tree-pool --cmax 4294967295
--backoff 99: write a number from 0 to 16 | tree-pool --backoff 99
--taint maybe: write on or off | tree-pool --taint maybe
--graph path:0: write path:3 | escrow --graph path:0
--graph cycle:2: write path:3, cycle:5 (3 or more) | escrow --graph cycle:2
with at most 1000000 sites | escrow --graph path:1000000000
--graph grid:0x0: write path:3 | escrow --graph grid:0x0
--graph edges:0: write path:3 | escrow --graph edges:0
these bounds are the default's | escrow --graph path:4
--bounds 2,1: site 0 could never change | escrow --bounds 2,1
--bounds 0,1;: write least,most | escrow --bounds '0,1;'
--bounds *,*: write least,most | escrow --bounds '*,*'
--initial xyz: write I (in) or o (out) | escrow --initial xyz
--founders 2: every site must be a founder | escrow --founders 2
--leader x: write a whole number | sidetrack --leader x
--late never: write undefined, grant or ignore | inclusion-published --late never
--wants r0,: write all, ring, cycle | strong-weak --wants r0,
--wants r0//r1: write all, ring, cycle | strong-weak --wants r0//r1
--min-request 9: write a whole number from 1 to 2 | strong-weak --min-request 9
--popularity zip: write even or zipf (did you mean "zipf"?) | strong-weak --popularity zip
off: not expected here | ring-ticket --literal on off
--pace 1: ordered-chain has no such parameter | ordered-chain --pace 1
65 sites: the checker cannot explore so many; write at most 64, with --sites | raymond --sites 65
70 sites: the checker cannot explore so many; write at most 64, with --graph | inclusion --graph path:70 --bounds '1,*'
102 sites: the checker cannot explore so many; write at most 64, with --clients | ring-ticket --clients 100
write at most 16, with --clients | ring-ticket --clients 20 --crashes 1
END

# --- sim
table sim <<'END'
--time: its value is missing | raymond --time
--time 10: write a time, as in 10s | raymond --time 10
--time 99999999999999s: write a time | raymond --time 99999999999999s
--time: it is given twice | raymond --time 1s --time 2s
--warm-up 1s: write less than --time 1s | raymond --time 1s --warm-up 1s
--think uniform:5ms: write a time | raymond --think uniform:5ms
--think uniform:5ms..: write a time | raymond --think uniform:5ms..
--think uniform:5ms..1ms: the shorter time comes first; write uniform:1ms..5ms | raymond --think uniform:5ms..1ms
--detect uniform:2s..1s: the shorter time comes first; write uniform:1s..2s | raymond --detect uniform:2s..1s
--give-up uniform:5ms..1ms: the shorter time comes first | counters --give-up uniform:5ms..1ms
--hold sized:9ms..5ms: the shorter time comes first; write sized:5ms..9ms | raymond --hold sized:9ms..5ms
--hold sized:9ms..5ms~50%: the shorter time comes first | raymond --hold sized:9ms..5ms~50%
--hold sized:5ms..9ms~101%: write times for one unit and for all | raymond --hold sized:5ms..9ms~101%
--latency exponential:: write a time | raymond --latency exponential:
--hold forever: write a time | raymond --hold forever
--requests 0,0: these are 2 numbers for 3 sites | raymond --requests 0,0
--demand r0: site 0 may ask for 1 unit | raymond --demand r0
--crashes -1: write a whole number from 0 to 1000000 | raymond --crashes -1
--crash-from 1s: no site crashes; add --crashes NUMBER | raymond --crash-from 1s
--crash-to 1s: no site crashes; add --crashes NUMBER | raymond --crash-to 1s
--crash-inside 10: no site crashes; add --crashes NUMBER or --crash SITE@TIME | raymond --crash-inside 10
--crash-inside -1: write a whole number from 0 to 100 | raymond --crash-inside=-1
--crash-to 20s: the run ends at --time 10s; write an earlier time | raymond --crashes 1 --crash-to 20s
--crash-to 30s: the run ends at --time 10s | raymond --crashes 1 --crash-from 20s --crash-to 30s
--crash 2@5s: the run ends at --time 1s; write an earlier time | raymond --crash 2@5s --time 1s
--crash 1@1s: the run ends at --time 1s | raymond --crash 1@1s --time 1s
--crash 2@: write sites and times | raymond --crash 2@
--crash @1s: write sites and times | raymond --crash @1s
--crash 2@1s,: write sites and times | raymond --crash 2@1s,
--crash: it is given twice | raymond --crash 1@1s --crash 2@1s
--crash 1@1s,1@2s: site 1 is down already; write it once | raymond --crash 1@1s,1@2s
--join 2@1s,2@2s: site 2 is there twice | permits-open --founders 2 --join 2@1s,2@2s
--restart 1@2s: site 1 does not crash before that; add --crash 1@TIME | raymond --restart 1@2s
--restart 1@1s: site 1 does not crash before that | raymond --restart 1@1s --crash 1@2s
--restart 1@99s: the run ends at --time 10s | raymond --restart 1@99s --crash 1@2s
--leave 1@99s: the run ends at --time 10s | permits --leave 1@99s
--join 2@99s: the run ends at --time 10s | permits-open --founders 2 --join 2@99s
--join 0@1s: site 0 is a founder; write another site | permits-open --founders 2 --join 0@1s
--join 1@1s: site 1 is a founder; write --founders 1 or less | permits-open --founders 2 --join 1@1s
--founders 2: no site joins a fixed group; permits-open has open ones | permits --founders 2 --join 1@1s
--start arbitary: write boot or arbitrary (did you mean "arbitrary"?) | raymond --start arbitary
--corrupt-at 99s: write times before --time 10s | tree-pool --corrupt-at 99s
--corrupt-at 1s,: write times | tree-pool --corrupt-at 1s,
--seed: it is given twice | raymond --seed 1 --seed 2
--seeds 1000001: write a whole number from 1 to 1000000 | raymond --seeds 1000001
--log /nonexistent/x: cannot write this file | raymond --log /nonexistent/x
--limit 0s: write a time | raymond --limit 0s
--memory: no such flag | raymond --memory 4G
--threads: no such flag | raymond --threads 2
--crashs: no such flag (did you mean "--crashes"?) | raymond --crashs 1
--clients 100001: write a whole number from 1 to 100000 | strong-weak --clients 100001
--with relay: --without names it, too | permits --with relay --without relay
permits: not expected here | raymond permits
END

# --- swarm
table swarm <<'END'
--runs 1e3: write a whole number | raymond --runs 1e3
--runs: it is given twice | raymond --runs 5 --runs 6
--seed "": the value is empty | raymond --seed ''
--runs excludes --run | raymond --run 5 --runs 3
--run 18446744073709551615: write a whole number | raymond --run 18446744073709551615
--threads 1000: write a whole number from 1 to 64 | raymond --threads 1000
--limit -5s: write a time | raymond --limit=-5s
--sites 0: write a whole number from 1 to 1000 | raymond --sites 0
--requests x: write a number, any | raymond --requests x
--crashes 1000001: write a whole number from 0 to 1000000 | raymond --crashes 1000001
--property nothing: raymond has at-most-k | raymond --property nothing
--property convergence: it is about arbitrary starts; use `check --start arbitrary` | raymond --property convergence
--start: no such flag (did you mean "--starts"?) | raymond --start arbitrary
--store: no such flag | raymond --store exact
--waits: no such flag | raymond --waits
--verbose: no such flag | raymond --verbose
--tree ring: write chain | tree-pool --tree ring
--without nothing: write all, or repairs of | permits --without nothing
--with relay: --without names it, too | permits --with relay --without relay
--clients 5000: write a whole number from 1 to 1000 | strong-weak --clients 5000
--sites is drawn in every run, so write it as well | raymond --permits 6
--sites is drawn in every run, so write it as well | raymond --anchor 5
--sites is drawn in every run, so write it as well | raymond --campers 7
--out /nonexistent/x: cannot write this file | raymond --out /nonexistent/x
permits: not expected here | raymond permits
(did you mean "raymond"?) | raimond
END

# --- play: files that are none, and flags
table play <<'END'
files is required |
files is required | --quiet
files "": the value is empty; write one | ''
--loud: no such flag | --loud a.txt
--quite: no such flag (did you mean "--quiet"?) | --quite a.txt
/dev/null:1: there is no statement here | /dev/null
/dev/zero: larger than 256 MiB | /dev/zero
/etc: no such file, or it cannot be read | /etc
--help: no such file, or it cannot be read | -- --help
--json=x: no such file, or it cannot be read | -- --json=x
--json: it is given twice | --json --json a.txt
END

# --- play: malformed scenarios; EXPECTED_TEXT LINES...
malformed() {
    local expected=$1
    shift
    scenario "$@"
    refused "scenario.txt:" play --quiet scenario.txt
    refused "$expected" play --quiet scenario.txt
}
malformed '"raymund" is no protocol (did you mean "raymond"?)' 'protocol raymund'
malformed 'the protocol'"'"'s name is missing' 'protocol'
malformed '"sites" is not KEY=VALUE' 'protocol raymond sites'
malformed 'sites is given twice; write it once' 'protocol raymond sites=3 sites=4'
malformed '(did you mean "--sites"?)' 'protocol raymond site=3'
malformed '--sites x: write a whole number' 'protocol raymond sites=x'
malformed 'with relay: --without names it, too' 'protocol permits with=relay without=relay'
malformed '"relaese" is no verb (did you mean "release"?)' 'protocol raymond' 'request 0' 'relaese 0'
malformed 'is missing; write' 'protocol raymond' 'request'
malformed '"x" is not' 'protocol raymond' 'request x'
malformed 'there are sites 0 to 2' 'protocol raymond' 'request 3'
malformed 'is a word too many' 'protocol raymond' 'release 0 1'
malformed 'site 0 is waiting; only an idle site asks' 'protocol raymond' 'request 0' 'request 0'
malformed 'site 2 may not ask yet: it has not finished its start' 'protocol permits sites=3' 'request 2'
malformed 'site 1 is down; write restart 1 first' 'protocol raymond' 'crash 1' 'request 1'
malformed 'the header allows requests=1, and none is left' 'protocol raymond sites=1 requests=1' 'request 0' 'release 0' 'request 0'
malformed 'stands where -> should' 'protocol raymond' 'request 0' 'deliver 0 - 1'
malformed 'is not closed on this line' 'protocol raymond' 'state 0 {"phase": "idle"'
malformed 'cannot be expected (did you mean "holding"?)' 'protocol raymond' 'expect holdin 1'
malformed 'is no property (did you mean "at-most-k"?)' 'protocol raymond' 'expect violation at-most-q'
malformed 'a scenario begins with its protocol' 'request 1' 'protocol raymond'
malformed 'scenario.txt:2: this line contains the byte 0x1b; a scenario is a text file' 'protocol raymond' $'request \e0'
printf 'protocol raymond\nrequest 0\nrel\0ease 0\n' >scenario.txt
refused 'scenario.txt:3: this line contains the byte 0x00' play --quiet scenario.txt

# --- errata, figures, feasible, protocols, new
table errata <<'END'
3: not expected here | 3
--show: its value is missing | --show
--show semaphore: this is a problem; write one of its errata, as in semaphore:1 | --show semaphore
--show semaphore:: no such erratum | --show semaphore:
--show :3: several problems have this number | --show :3
(did you mean "semaphore"?) | --show semaphor:3
(did you mean "crash-clock"?) | --show semaphore:crash-clok
--show excludes --run | --show semaphore:3 --run semaphore:3
--show: it is given twice | --show semaphore:3 --show semaphore:4
--run tea: no such erratum | --run tea
--run: its value is missing; write one after the = | --run=
extra: not expected here | --run semaphore:3 extra
--problem "": the value is empty | --problem ''
--problem semaphor: no such problem | --problem semaphor
(did you mean "semaphore"?) | --problem semaphor
--show pool:1: no such problem; there are errata of semaphore | --problem semaphore --show pool:1
--jsn: no such flag (did you mean "--json"?) | --jsn
END
table figures <<'END'
crashs: no such figure; there is crashes | crashs
(did you mean "crashes"?) | crashs
tea: no such figure | crashes tea
--seeds 1.5: write a whole number from 1 to 1000000 | crashes --seeds 1.5
--seeds: it is given twice | crashes --seeds 2 --seeds 3
--out "": the value is empty | crashes --out ''
--seed: no such flag (did you mean "--seeds"?) | crashes --seed 3
--out requires name | --out x
END
table feasible <<'END'
--graph is required |
--bounds is required | --graph path:3
--grap: no such flag (did you mean "--graph"?) | --grap path:3 --bounds 0,1
--bounds: its value is missing | --graph path:3 --bounds
--bounds: it is given twice | --graph path:3 --bounds 0,1 --bounds 0,2
--effort many: write a whole number | --graph path:3 --bounds 0,1 --effort many
--initial III: 2 of site 0 and its neighbours are in service | --graph path:3 --bounds 0,1 --initial III
--bounds 5,9: site 0 and its neighbours are 2 | --graph path:3 --bounds 5,9
path:3: not expected here | --graph path:3 --bounds 0,1 path:3
at most 0; write a larger number second | --graph path:1 --bounds 0,0
at most 1; write a smaller number first | --graph path:2 --bounds 1,1
with at most 1000000 sites | --graph path:99999999999 --bounds 0,1
END
table protocols <<'END'
raymund: no such protocol | raymund
(did you mean "raymond"?) | raymund
permits: not expected here | raymond permits
--jsn: no such flag (did you mean "--json"?) | --jsn
protocol "": the value is empty; write one | ''
END
table new <<'END'
name is required |
name "": the value is empty; write one | ''
Two-Locks: write a name of small letters | Two-Locks
two--locks: write a name of small letters | two--locks
-x: not expected here | -x
2locks: write a name of small letters | 2locks
--folder "": the value is empty | two-locks --folder ''
/tmp: the folder exists | two-locks --folder /tmp
--folder: it is given twice | two-locks --folder a --folder b
help: CMake or allot itself has something of this name | help
ask: CMake or allot itself has something of this name | ask
repairs: CMake or allot itself has something of this name | repairs
message: CMake or allot itself has something of this name | message
site-id: CMake or allot itself has something of this name | site-id
meaning: CMake or allot itself has something of this name | meaning
result: CMake or allot itself has something of this name | result
demand: CMake or allot itself has something of this name | demand
/dev/null: a file of this name exists; name another one with --folder | two-locks --folder /dev/null
w/.: this is no name of a folder | two-locks --folder w/.
three-locks: not expected here | two-locks three-locks
--fodler: no such flag (did you mean "--folder"?) | two-locks --fodler a
END

# An error repeats only the two ends of long input.
long=$(printf 'x%.0s' {1..100000})
scenario 'protocol raymond sites=3' "$long"
for command in 'play --quiet scenario.txt' 'play --json scenario.txt' "check $long" "sim raymond --think $long"; do
    "$ALLOT" $command >out.txt 2>err.txt
    [ "$(cat out.txt err.txt | wc -c)" -le 2000 ] || { echo "${command:0:60}: the error repeats all of its input"; failed=$((failed + 1)); }
done

echo "$passed passed, $failed failed"
[ "$passed" -ge 250 ] && [ "$failed" -eq 0 ]
