// A contract on the devnet with ethers: first public, then private between node 1 and node 2.
// Start the network with `npm start`, then: node examples/ethers.mjs
import { readFileSync } from 'node:fs';
import { Contract, ContractFactory, JsonRpcProvider, Wallet } from 'ethers';

// contract Store {
//   uint256 public value;
//   event Stored(address indexed by, uint256 value);
//   function set(uint256 v) external { value = v; emit Stored(msg.sender, v); }
// }
const ABI = [
  'event Stored(address indexed by, uint256 value)',
  'function set(uint256 v)',
  'function value() view returns (uint256)',
];
const BYTECODE =
  '0x6080604052348015600f57600080fd5b5060ed8061001e6000396000f3fe6080604052348015600f57600080fd5b506004361060325760003560e01c80633fa4f24514603757806360fe47b1146051575b600080fd5b603f60005481565b60405190815260200160405180910390f35b6060605c366004609f565b6062565b005b600081905560405181815233907febfcf7c0a1b09f6499e519a8d8bb85ce33cd539ec6cbd964e116cd74943ead1a9060200160405180910390a250565b60006020828403121560b057600080fd5b503591905056fea2646970667358221220d14cc6b39dd24d6dd97a126e99a020913e1fb599a34a951b0d23cd5a42087b1f64736f6c63430008250033';

const devnet = JSON.parse(readFileSync(process.argv[2] ?? '.quorate/devnet.json', 'utf8'));
const [node1, node2, node3] = devnet.nodes.map(
  // Without ethers' cache: a Raft chain may mine within the time for which it believes an old answer, and makes no empty blocks.
  ({ rpc }) => new JsonRpcProvider(rpc, undefined, { pollingInterval: 250, cacheTimeout: -1 }),
);

// Public: signed here, seen by every node.
const wallet = new Wallet(devnet.accounts[0].privateKey, node1);
const store = await new ContractFactory(ABI, BYTECODE, wallet).deploy();
await store.waitForDeployment();
const receipt = await (await store.set(42n)).wait();
console.log('public contract', await store.getAddress(), 'in block', receipt.blockNumber);
console.log('  value', await store.value(), 'events', (await store.queryFilter('Stored')).length);

// Private: node 1 signs with an account it holds, only the managers of node 1 and node 2 get the payload.
const sendPrivate = async (fields) => {
  const transaction = { from: wallet.address, gas: '0x47b760', ...fields };
  const hash = await node1.send('eth_sendTransaction', [
    { ...transaction, privateFor: [devnet.nodes[1].ptm.publicKey] },
  ]);
  return mined(node1, hash);
};
const { contractAddress } = await sendPrivate({ data: BYTECODE });
const data = store.interface.encodeFunctionData('set', [4711n]);
const { blockNumber } = await sendPrivate({ to: contractAddress, data });
console.log('private contract', contractAddress, 'in block', blockNumber);

for (const node of [node2, node3]) await reached(node, blockNumber);
console.log('  node 1 reads', await new Contract(contractAddress, ABI, node1).value());
console.log('  node 2 reads', await new Contract(contractAddress, ABI, node2).value());
console.log('  node 3 sees code', await node3.getCode(contractAddress));
for (const node of [node1, node2, node3]) node.destroy();

async function reached(node, number) {
  while ((await node.getBlockNumber()) < number) await new Promise((next) => setTimeout(next, 250));
}

// Not waitForTransaction: it may want one more block, and a Raft chain makes none without transactions.
async function mined(node, hash) {
  for (;;) {
    const receipt = await node.getTransactionReceipt(hash);
    if (receipt) return receipt;
    await new Promise((next) => setTimeout(next, 250));
  }
}
