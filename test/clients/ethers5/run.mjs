// ethers 5. See ../README.md for what every program does.
import { readFileSync } from 'node:fs';
import { ethers } from 'ethers';

const { url, privateKey, to, contracts, gasPrice } = JSON.parse(
  readFileSync(process.argv[2], 'utf8'),
);
/** Set on every transaction. */
const terms = gasPrice === undefined ? {} : { gasPrice };
const { JsonRpcProvider, WebSocketProvider } = ethers.providers;
const provider = url.startsWith('ws') ? new WebSocketProvider(url) : new JsonRpcProvider(url);
const signer = privateKey ? new ethers.Wallet(privateKey, provider) : provider.getSigner();

const deploy = async (name, ...args) => {
  const { abi, bytecode } = contracts[name];
  const contract = await new ethers.ContractFactory(abi, bytecode, signer).deploy(...args, terms);
  return contract.deployed();
};
const transferOf = ([from, to, value]) => ({ from, to, value: String(value) });

const token = await deploy('Token');
const transfers = token.filters.Transfer(null, to);
// Over HTTP it sees events only from its first poll on, seconds later; earlier ones are missed.
const heard = url.startsWith('ws')
  ? new Promise((resolve) => token.once(transfers, (...args) => resolve([transferOf(args)])))
  : undefined;
const transfer = await (await token.transfer(to, 5, terms)).wait();
const past = await token.queryFilter(transfers, 0);

const first = await deploy('BoxV1');
const call = first.interface.encodeFunctionData('initialize', [41]);
const proxy = await deploy('BoxProxy', first.address, call);
const box = new ethers.Contract(proxy.address, contracts.BoxV2.abi, signer);
await (await box.set(42, terms)).wait();
const second = await deploy('BoxV2');
await (await box.upgradeToAndCall(second.address, '0x', terms)).wait();
await (await signer.sendTransaction({ to, value: 1, ...terms })).wait();

console.log(
  JSON.stringify({
    token: token.address,
    box: box.address,
    transaction: transfer.transactionHash,
    past: past.map(({ args }) => transferOf(args)),
    heard: await heard,
    read: {
      balance: String(await token.balanceOf(to)),
      value: String(await box.value()),
      version: String(await box.version()),
    },
  }),
);
process.exit(0);
