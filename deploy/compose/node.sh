#!/bin/sh
# A node of compose.yaml: node.sh NAME [options of quorate node]
set -eu
umask 077
name=$1
shift
network=${NETWORK:-/network}
data=${DATA:-/data}
quorate init --datadir "$data" "$network/goQuorum/genesis.json"
mkdir -p "$data/keystore"
cp "$network/$name/nodekey" "$network/goQuorum/static-nodes.json" "$data/"
cp "$network/$name/accountKeystore" "$data/keystore/key"
exec quorate node --datadir "$data" --nodiscover --http --http.addr 0.0.0.0 --http.vhosts '*' \
  --http.api eth,net,web3,txpool,istanbul,admin,debug --metrics --metrics.addr 0.0.0.0 --metrics.port 9545 "$@"
