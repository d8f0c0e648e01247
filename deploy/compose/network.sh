#!/bin/sh
# Makes the keys and the genesis file of the network that compose.yaml runs, once.
set -eu
umask 077
folder=${1:-/data}
if [ -e "$folder/goQuorum/static-nodes.json" ]; then exit 0; fi
rm -rf "$folder/new"
quorate genesis --consensus qbft --validators 4 --members 3 --bootnodes 0 --tesseraEnabled \
  --blockperiod 1 --emptyBlockPeriod 5 --gasLimit 0x2faf0800 --noOutputTimestamp --outputPath "$folder/new"
for host in validator0 validator1 validator2 validator3 member0 member1 member2; do
  sed -i "0,/<HOST>/s//$host/" "$folder/new/goQuorum/static-nodes.json"
done
mv "$folder"/new/validator* "$folder"/new/member* "$folder/"
# Last: with this folder the network is complete.
mv "$folder/new/goQuorum" "$folder/goQuorum"
