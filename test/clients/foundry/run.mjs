// Foundry: forge create, forge script, cast send, call and logs. See ../README.md.
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

process.env.FOUNDRY_BROADCAST = join(dirname(process.argv[2]), 'broadcast');
const { url, chainId, privateKey, to, gasPrice } = JSON.parse(
  readFileSync(process.argv[2], 'utf8'),
);
const run = async (tool, ...args) =>
  (await promisify(execFile)(`node_modules/.bin/${tool}`, [...args, '--rpc-url', url])).stdout;
const json = async (...args) => JSON.parse(await run(...args, '--json'));
const signer = privateKey
  ? ['--private-key', privateKey]
  : ['--unlocked', '--from', (await json('cast', 'rpc', 'eth_accounts'))[0]];

const price = (flag) => (gasPrice === undefined ? [] : ['--legacy', flag, String(gasPrice)]);

const TRANSFER = 'Transfer(address indexed from, address indexed to, uint256 value)';
const transferOf = ({ topics, data }) => ({
  from: `0x${topics[1].slice(26)}`,
  to: `0x${topics[2].slice(26)}`,
  value: String(BigInt(data)),
});

const create = ['contracts/Token.sol:Token', '--broadcast', ...signer, ...price('--gas-price')];
const { deployedTo: token } = await json('forge', 'create', ...create);
const filter = ['--address', token, TRANSFER, '', to];

// It runs until it is stopped, and subscribes over WebSocket only.
const listener = url.startsWith('ws')
  ? spawn('node_modules/.bin/cast', ['logs', '--subscribe', '--rpc-url', url, ...filter])
  : undefined;
const heard = listener && firstOf(listener.stdout);
async function firstOf(output) {
  let text = '';
  for await (const chunk of output) {
    text += chunk;
    const [, data] = /^ *data: (0x\w+)$/m.exec(text) ?? [];
    const topics = [...text.matchAll(/^\s+(0x\w{64})$/gm)].map(([, topic]) => topic);
    if (data && topics.length === 3) return [transferOf({ topics, data })];
  }
  throw new Error(`cast logs ended with "${text}"`);
}

const send = async (...args) => json('cast', 'send', ...args, ...signer, ...price('--gas-price'));
const transfer = await send(token, 'transfer(address,uint256)', to, '5');
const past = await json('cast', 'logs', '--from-block', '0', ...filter);

const sender = privateKey ? signer : ['--unlocked', '--sender', signer.at(-1)];
await run(
  ...['forge', 'script', 'script/Plan.s.sol', '--broadcast', ...sender],
  ...price('--with-gas-price'),
);
const record = join(process.env.FOUNDRY_BROADCAST, 'Plan.s.sol', `${chainId}`, 'run-latest.json');
const box = JSON.parse(readFileSync(record, 'utf8')).returns['0'].value;
await send(to, '--value', '1');

const call = async (address, signature, ...args) =>
  String(await json('cast', 'call', address, signature, ...args));
console.log(
  JSON.stringify({
    token,
    box,
    transaction: transfer.transactionHash,
    past: past.map(transferOf),
    heard: await heard,
    read: {
      balance: await call(token, 'balanceOf(address)(uint256)', to),
      value: await call(box, 'value()(uint256)'),
      version: await call(box, 'version()(uint256)'),
    },
  }),
);
listener?.kill();
