// web3 4 with its defaults. See ../README.md for what every program does.
import { readFileSync } from 'node:fs';
import { Web3 } from 'web3';

const { url, privateKey, to, contracts } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const web3 = new Web3(url);
const from = privateKey
  ? web3.eth.accounts.wallet.add(privateKey)[0].address
  : (await web3.eth.getAccounts())[0];

const deploy = (name, ...args) => {
  const { abi, bytecode } = contracts[name];
  return new web3.eth.Contract(abi).deploy({ data: bytecode, arguments: args }).send({ from });
};
const transferOf = ({ returnValues: { from, to, value } }) => ({ from, to, value: String(value) });

const token = await deploy('Token');
// Subscriptions need WebSocket.
const subscription = url.startsWith('ws')
  ? await token.events.Transfer({ filter: { to } })
  : undefined;
const heard = new Promise((resolve, reject) => {
  if (!subscription) return resolve(undefined);
  subscription.on('data', (event) => resolve([transferOf(event)]));
  subscription.on('error', reject);
});
const transfer = await token.methods.transfer(to, 5).send({ from });
const past = await token.getPastEvents('Transfer', { filter: { to }, fromBlock: 0 });

const first = await deploy('BoxV1');
const call = first.methods.initialize(41).encodeABI();
const proxy = await deploy('BoxProxy', first.options.address, call);
const box = new web3.eth.Contract(contracts.BoxV2.abi, proxy.options.address);
await box.methods.set(42).send({ from });
const second = await deploy('BoxV2');
await box.methods.upgradeToAndCall(second.options.address, '0x').send({ from });
await web3.eth.sendTransaction({ from, to, value: 1 });

console.log(
  JSON.stringify({
    token: token.options.address,
    box: box.options.address,
    transaction: transfer.transactionHash,
    past: past.map(transferOf),
    heard: await heard,
    read: {
      balance: String(await token.methods.balanceOf(to).call()),
      value: String(await box.methods.value().call()),
      version: String(await box.methods.version().call()),
    },
  }),
);
process.exit(0);
