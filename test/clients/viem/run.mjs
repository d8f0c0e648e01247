// viem with its defaults. See ../README.md for what every program does.
import { readFileSync } from 'node:fs';
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  http,
  webSocket,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const task = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { url, to, contracts } = task;
const chain = defineChain({
  id: task.chainId,
  name: 'Ledger',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [url] } },
});
const transport = url.startsWith('ws') ? webSocket(url) : http(url);
const node = createPublicClient({ chain, transport });
const [account] = task.privateKey
  ? [privateKeyToAccount(task.privateKey)]
  : await createWalletClient({ chain, transport }).getAddresses();
const wallet = createWalletClient({ account, chain, transport });

const mined = async (hash) => node.waitForTransactionReceipt({ hash: await hash });
const deploy = async (name, args = []) => {
  const receipt = await mined(wallet.deployContract({ ...contracts[name], args }));
  return receipt.contractAddress;
};
const write = (address, name, functionName, args) =>
  mined(wallet.writeContract({ address, abi: contracts[name].abi, functionName, args }));
const read = async (address, name, functionName, args = []) =>
  String(await node.readContract({ address, abi: contracts[name].abi, functionName, args }));
const transferOf = ({ args: { from, to, value } }) => ({ from, to, value: String(value) });

const token = await deploy('Token');
const transfers = { address: token, abi: contracts.Token.abi, eventName: 'Transfer', args: { to } };
let unwatch;
const heard = new Promise((resolve, reject) => {
  const onLogs = (logs) => resolve(logs.map(transferOf));
  unwatch = node.watchContractEvent({ ...transfers, onLogs, onError: reject });
});
const transfer = await write(token, 'Token', 'transfer', [to, 5n]);
const past = await node.getContractEvents({ ...transfers, fromBlock: 0n });

const first = await deploy('BoxV1');
const { abi } = contracts.BoxV1;
const call = encodeFunctionData({ abi, functionName: 'initialize', args: [41n] });
const box = await deploy('BoxProxy', [first, call]);
await write(box, 'BoxV1', 'set', [42n]);
const second = await deploy('BoxV2');
await write(box, 'BoxV1', 'upgradeToAndCall', [second, '0x']);
await mined(wallet.sendTransaction({ to, value: 1n }));

console.log(
  JSON.stringify({
    token,
    box,
    transaction: transfer.transactionHash,
    past: past.map(transferOf),
    heard: await heard,
    read: {
      balance: await read(token, 'Token', 'balanceOf', [to]),
      value: await read(box, 'BoxV2', 'value'),
      version: await read(box, 'BoxV2', 'version'),
    },
  }),
);
unwatch();
process.exit(0);
