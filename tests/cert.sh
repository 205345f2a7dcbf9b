# allot cert: what it makes is there, fits, is kept private and is not overwritten; bad input is one line.
set -u
failed=0
rm -rf certs half

fail() {
    echo "$*"
    failed=1
}

"$ALLOT" cert --dir certs ant bee --program ci,ant >table.txt || fail "allot cert failed"
for file in ca ant bee programs/ci programs/ant; do
    grep -q "certs/$file.pem" table.txt || fail "$file.pem is not in the table"
    [ "$(stat -c %a certs/$file.key)" = 600 ] || fail "$file.key is not private"
done
[ "$(find certs -type f | wc -l)" -eq 10 ] || fail "other files than expected: $(find certs)"

# If the openssl command is there, it agrees.
if command -v openssl >/dev/null; then
    for name in ant bee; do
        openssl verify -CAfile certs/ca.pem certs/$name.pem >/dev/null || fail "$name.pem does not verify"
        openssl x509 -in certs/$name.pem -noout -checkhost $name | grep -q "does match" || fail "$name.pem bears no name"
        openssl x509 -in certs/$name.pem -noout -text | grep -q "URI:allot:host:$name" || fail "$name.pem is not for a host"
    done
    program=$(openssl x509 -in certs/programs/ant.pem -noout -text)
    grep -q 'URI:allot:program:ant' <<<"$program" || fail "no certificate for a program: $program"
    grep -qE 'DNS:|allot:host|Server Authentication' <<<"$program" && fail "a program could pass for a host: $program"
fi

# refused EXPECTED_TEXT ARGUMENTS...: one line, exit code 2, and nothing has changed.
contents() { find certs half -type f 2>/dev/null | sort | xargs sha256sum; }
before=$(contents)
refused() {
    local expected=$1
    shift
    "$ALLOT" cert "$@" >out.txt 2>err.txt
    local code=$?
    [ $code -eq 2 ] || fail "allot cert $*: exit code $code"
    [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -qF -- "$expected" err.txt || {
        fail "allot cert $*: wanted one line with: $expected"
        cat out.txt err.txt
    }
    [ "$before" = "$(contents)" ] || fail "allot cert $* has changed something"
}
refused 'certs/ant.pem: the file exists; --force replaces it' --dir certs cat ant
refused '"a/b": write the name of a host or program' --dir certs a/b
refused '"a b": write the name of a host or program' --dir certs 'a b'
refused '"c/d": write the name of a host or program' --dir certs --program a,c/d
refused 'cat: write each name once' --dir certs --program cat,cat
refused '"": write the name of a host or program' --dir certs --program a,,b
refused 'ca: that is the name of the authority' --dir certs --force ca
refused 'cat: write each name once' --dir certs cat cat
refused '--days 0: write a number from 1' --dir certs --days 0 cat
refused '--days' --dir certs --days soon cat
refused '--dir' cat
refused '/dev/null/certs: Not a directory' --dir /dev/null/certs cat
[ ! -e certs/cat.pem ] || fail "a certificate was made all the same"

# Another host later, by the same authority.
ca=$(sha256sum certs/ca.*)
ant=$(sha256sum certs/ant.*)
"$ALLOT" cert --dir certs cat --json >json.txt || fail "a host cannot be added"
grep -q '"path":"certs/cat.pem","content":"certificate","name":"cat"' json.txt || fail "wrong JSON: $(cat json.txt)"
"$ALLOT" cert --dir certs ant --force >/dev/null || fail "--force is refused"
[ "$ca" = "$(sha256sum certs/ca.*)" ] || fail "the authority was not kept"
[ "$ant" != "$(sha256sum certs/ant.*)" ] || fail "--force replaces nothing"

# Half an authority is none, and not replaced.
mkdir half
cp certs/ca.pem half
before=$(contents)
refused 'half/ca.pem and half/ca.key: these files contain no authority; write another --dir, or move both away' --dir half dog
exit $failed
