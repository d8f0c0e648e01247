// A contract on the devnet with viem: first public, then private between node 1 and node 2.
// Start the network with `npm start`, then: node examples/viem.mjs
import { readFileSync } from 'node:fs';
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  http,
  parseAbi,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

// contract Store {
//   uint256 public value;
//   event Stored(address indexed by, uint256 value);
//   function set(uint256 v) external { value = v; emit Stored(msg.sender, v); }
// }
const abi = parseAbi([
  'event Stored(address indexed by, uint256 value)',
  'function set(uint256 v)',
  'function value() view returns (uint256)',
]);
const bytecode =
  '0x6080604052348015600f57600080fd5b5060ed8061001e6000396000f3fe6080604052348015600f57600080fd5b506004361060325760003560e01c80633fa4f24514603757806360fe47b1146051575b600080fd5b603f60005481565b60405190815260200160405180910390f35b6060605c366004609f565b6062565b005b600081905560405181815233907febfcf7c0a1b09f6499e519a8d8bb85ce33cd539ec6cbd964e116cd74943ead1a9060200160405180910390a250565b60006020828403121560b057600080fd5b503591905056fea2646970667358221220d14cc6b39dd24d6dd97a126e99a020913e1fb599a34a951b0d23cd5a42087b1f64736f6c63430008250033';

const devnet = JSON.parse(readFileSync(process.argv[2] ?? '.quorate/devnet.json', 'utf8'));
const chain = defineChain({
  id: devnet.chainId,
  name: 'Quorate devnet',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [devnet.nodes[0].rpc] } },
});
const [node1, node2, node3] = devnet.nodes.map(({ rpc }) =>
  createPublicClient({ chain, transport: http(rpc), pollingInterval: 250, cacheTime: 0 }),
);

// Public: signed here, seen by every node.
const account = privateKeyToAccount(devnet.accounts[1].privateKey);
const wallet = createWalletClient({ account, chain, transport: http(devnet.nodes[0].rpc) });
const mined = (hash) => node1.waitForTransactionReceipt({ hash });
const deployed = await mined(await wallet.deployContract({ abi, bytecode }));
const address = deployed.contractAddress;
const set = await mined(
  await wallet.writeContract({ abi, address, functionName: 'set', args: [42n] }),
);
const events = await node1.getContractEvents({ abi, address, fromBlock: deployed.blockNumber });
console.log('public contract', address, 'in block', set.blockNumber);
console.log('  value', await read(node1, address), 'events', events.length);

// Private: node 1 signs with an account it holds, only the managers of node 1 and node 2 get the payload.
const sendPrivate = async (fields) => {
  const transaction = { from: account.address, gas: '0x47b760', ...fields };
  const params = [{ ...transaction, privateFor: [devnet.nodes[1].ptm.publicKey] }];
  return mined(await node1.request({ method: 'eth_sendTransaction', params }));
};
const { contractAddress } = await sendPrivate({ data: bytecode });
const data = encodeFunctionData({ abi, functionName: 'set', args: [4711n] });
const { blockNumber } = await sendPrivate({ to: contractAddress, data });
console.log('private contract', contractAddress, 'in block', blockNumber);

for (const node of [node2, node3]) await reached(node, blockNumber);
console.log('  node 1 reads', await read(node1, contractAddress));
console.log('  node 2 reads', await read(node2, contractAddress));
console.log('  node 3 sees code', (await node3.getCode({ address: contractAddress })) ?? '0x');

function read(node, address) {
  return node.readContract({ abi, address, functionName: 'value' });
}

function reached(node, number) {
  return new Promise((resolve, reject) => {
    const stop = node.watchBlockNumber({
      emitOnBegin: true,
      onBlockNumber: (head) => {
        if (head < number) return;
        stop?.();
        resolve();
      },
      onError: reject,
    });
  });
}
