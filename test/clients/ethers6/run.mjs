// ethers 6 with its defaults. See ../README.md for what every program does.
import { readFileSync } from 'node:fs';
import { Contract, ContractFactory, JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers';

const { url, privateKey, to, contracts } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const provider = url.startsWith('ws') ? new WebSocketProvider(url) : new JsonRpcProvider(url);
const signer = privateKey ? new Wallet(privateKey, provider) : await provider.getSigner();

const deploy = async (name, ...args) => {
  const { abi, bytecode } = contracts[name];
  const contract = await new ContractFactory(abi, bytecode, signer).deploy(...args);
  return contract.waitForDeployment();
};
const transferOf = ([from, to, value]) => ({ from, to, value: String(value) });

const token = await deploy('Token');
const heard = new Promise((resolve) =>
  token.on(token.filters.Transfer(null, to), (event) => resolve(transferOf(event.args))),
);
const transfer = await (await token.transfer(to, 5n)).wait();
const past = await token.queryFilter(token.filters.Transfer(null, to), 0);

const first = await deploy('BoxV1');
const call = first.interface.encodeFunctionData('initialize', [41n]);
const proxy = await deploy('BoxProxy', await first.getAddress(), call);
const box = new Contract(await proxy.getAddress(), contracts.BoxV2.abi, signer);
await (await box.set(42n)).wait();
const second = await deploy('BoxV2');
await (await box.upgradeToAndCall(await second.getAddress(), '0x')).wait();
await (await signer.sendTransaction({ to, value: 1n })).wait();

console.log(
  JSON.stringify({
    token: await token.getAddress(),
    box: await box.getAddress(),
    transaction: transfer.hash,
    past: past.map(({ args }) => transferOf(args)),
    heard: [await heard],
    read: {
      balance: String(await token.balanceOf(to)),
      value: String(await box.value()),
      version: String(await box.version()),
    },
  }),
);
provider.destroy();
