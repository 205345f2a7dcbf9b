# The same with a register in etcd, with TLS.
engine=etcd
etcd_tls=$'certificate = "client.pem"\nkey = "client.key"\nauthority = "etcd-ca.pem"'
. "$ALLOT_SOURCE_DIR/tests/cluster/register_away.sh"
