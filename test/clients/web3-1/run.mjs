// web3 1. See ../README.md for what every program does.
import { readFileSync } from 'node:fs';
import Web3 from 'web3';

const { url, privateKey, to, contracts, gasPrice } = JSON.parse(
  readFileSync(process.argv[2], 'utf8'),
);
const web3 = new Web3(url);
const from = privateKey
  ? web3.eth.accounts.wallet.add(privateKey).address
  : (await web3.eth.getAccounts())[0];

/** Set on every transaction. */
const terms = { from, ...(gasPrice !== undefined && { gasPrice: String(gasPrice) }) };

/** web3 1 does not estimate the gas of contract calls by itself, so each is estimated first. */
const send = async (transaction) =>
  transaction.send({ ...terms, gas: await transaction.estimateGas({ from }) });
const deploy = (name, ...args) => {
  const { abi, bytecode } = contracts[name];
  return send(new web3.eth.Contract(abi).deploy({ data: bytecode, arguments: args }));
};
const transferOf = ({ returnValues: { from, to, value } }) => ({ from, to, value });

const token = await deploy('Token');
// Subscriptions need WebSocket.
const heard = url.startsWith('ws')
  ? new Promise((resolve, reject) => {
      const subscription = token.events.Transfer({ filter: { to } });
      subscription.once('data', (event) => resolve([transferOf(event)]));
      subscription.once('error', reject);
    })
  : undefined;
const transfer = await send(token.methods.transfer(to, 5));
const past = await token.getPastEvents('Transfer', { filter: { to }, fromBlock: 0 });

const first = await deploy('BoxV1');
const call = first.methods.initialize(41).encodeABI();
const proxy = await deploy('BoxProxy', first.options.address, call);
const box = new web3.eth.Contract(contracts.BoxV2.abi, proxy.options.address);
await send(box.methods.set(42));
const second = await deploy('BoxV2');
await send(box.methods.upgradeToAndCall(second.options.address, '0x'));
await web3.eth.sendTransaction({ ...terms, to, value: 1, gas: 21_000 });

console.log(
  JSON.stringify({
    token: token.options.address,
    box: box.options.address,
    transaction: transfer.transactionHash,
    past: past.map(transferOf),
    heard: await heard,
    read: {
      balance: await token.methods.balanceOf(to).call(),
      value: await box.methods.value().call(),
      version: await box.methods.version().call(),
    },
  }),
);
process.exit(0);
