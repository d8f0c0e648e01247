// A contract on the devnet with web3.js: first public, then private between node 1 and node 2.
// Start the network with `npm start`, then: node examples/web3.mjs
import { readFileSync } from 'node:fs';
import { Web3 } from 'web3';

// contract Store {
//   uint256 public value;
//   event Stored(address indexed by, uint256 value);
//   function set(uint256 v) external { value = v; emit Stored(msg.sender, v); }
// }
const uint256 = { name: 'value', type: 'uint256' };
const ABI = [
  { type: 'function', name: 'set', inputs: [uint256], outputs: [], stateMutability: 'nonpayable' },
  { type: 'function', name: 'value', inputs: [], outputs: [uint256], stateMutability: 'view' },
  {
    type: 'event',
    name: 'Stored',
    inputs: [{ name: 'by', type: 'address', indexed: true }, uint256],
  },
];
const BYTECODE =
  '0x6080604052348015600f57600080fd5b5060ed8061001e6000396000f3fe6080604052348015600f57600080fd5b506004361060325760003560e01c80633fa4f24514603757806360fe47b1146051575b600080fd5b603f60005481565b60405190815260200160405180910390f35b6060605c366004609f565b6062565b005b600081905560405181815233907febfcf7c0a1b09f6499e519a8d8bb85ce33cd539ec6cbd964e116cd74943ead1a9060200160405180910390a250565b60006020828403121560b057600080fd5b503591905056fea2646970667358221220d14cc6b39dd24d6dd97a126e99a020913e1fb599a34a951b0d23cd5a42087b1f64736f6c63430008250033';

const devnet = JSON.parse(readFileSync(process.argv[2] ?? '.quorate/devnet.json', 'utf8'));
const [node1, node2, node3] = devnet.nodes.map(({ rpc }) => new Web3(rpc));
for (const node of [node1, node2, node3]) node.eth.transactionPollingInterval = 250;

// Public: signed here, seen by every node.
const { address: from } = node1.eth.accounts.wallet.add(devnet.accounts[2].privateKey)[0];
const store = await new node1.eth.Contract(ABI)
  .deploy({ data: BYTECODE })
  .send({ from, gas: '1000000' });
const receipt = await store.methods.set(42).send({ from, gas: '100000' });
const events = await store.getPastEvents('Stored', { fromBlock: receipt.blockNumber });
console.log('public contract', store.options.address, 'in block', receipt.blockNumber);
console.log('  value', await store.methods.value().call(), 'events', events.length);

// Private: node 1 signs with an account it holds, only the managers of node 1 and node 2 get the payload.
const sendPrivate = async (fields) => {
  const transaction = { from, gas: '0x47b760', ...fields };
  const hash = await node1.provider.request({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_sendTransaction',
    params: [{ ...transaction, privateFor: [devnet.nodes[1].ptm.publicKey] }],
  });
  return mined(node1, hash.result);
};
const { contractAddress } = await sendPrivate({ data: BYTECODE });
const { blockNumber } = await sendPrivate({
  to: contractAddress,
  data: store.methods.set(4711).encodeABI(),
});
console.log('private contract', contractAddress, 'in block', blockNumber);

for (const node of [node2, node3])
  await until(async () => (await node.eth.getBlockNumber()) >= blockNumber);
const read = (node) => new node.eth.Contract(ABI, contractAddress).methods.value().call();
console.log('  node 1 reads', await read(node1));
console.log('  node 2 reads', await read(node2));
console.log('  node 3 sees code', await node3.eth.getCode(contractAddress));

function mined(node, hash) {
  return until(() => node.eth.getTransactionReceipt(hash).catch(() => undefined));
}

async function until(check) {
  for (;;) {
    const result = await check();
    if (result) return result;
    await new Promise((next) => setTimeout(next, 250));
  }
}
