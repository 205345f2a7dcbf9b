# The fault proxy as a program: it says where it listens, obeys line by line, and ends with its input.
set -u
printf 'delay 20\nreorder\nheal\ndelay soon\nfly\nstatus\n' | "$FAULT_PROXY" 127.0.0.1:0 127.0.0.1:1 >out.txt || exit 1
sed -n 1p out.txt | grep -Eqx '[0-9]+' || exit 1
sed 1d out.txt >answers.txt
diff answers.txt - <<'END' || exit 1
ok connections=0 made=0 bytes=0
ok connections=0 made=0 bytes=0
ok connections=0 made=0 bytes=0
error delay soon: write delay and a number of milliseconds
error fly: write delay MS, cut, refuse, blackhole, reorder, heal or status
ok connections=0 made=0 bytes=0
END
"$FAULT_PROXY" 2>err.txt
[ $? -eq 2 ] && [ "$(wc -l <err.txt)" -eq 1 ]
