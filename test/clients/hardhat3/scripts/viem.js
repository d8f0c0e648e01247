// Hardhat 3 with its viem plugin and OpenZeppelin's upgrades. See ../../README.md.
import { readFileSync } from 'node:fs';
import { upgrades } from '@openzeppelin/hardhat-upgrades/viem';
import hre from 'hardhat';

const { to } = JSON.parse(readFileSync(process.env.TASK, 'utf8'));
const transferOf = ({ args: { from, to, value } }) => ({ from, to, value: String(value) });
const connection = await hre.network.create('ledger');
const { viem } = connection;
const { deployProxy, upgradeProxy } = await upgrades(hre, connection);
const node = await viem.getPublicClient();
const [wallet] = await viem.getWalletClients();
const mined = async (hash) => node.waitForTransactionReceipt({ hash: await hash });

const token = await viem.deployContract('Token');
const transfer = await mined(token.write.transfer([to, 5n]));
const past = await token.getEvents.Transfer({ to }, { fromBlock: 0n });

const first = await deployProxy('BoxV1', [41n]);
await mined(first.write.set([42n]));
const box = await upgradeProxy(first.address, 'BoxV2');
await mined(wallet.sendTransaction({ to, value: 1n }));

console.log(
  JSON.stringify({
    token: token.address,
    box: box.address,
    transaction: transfer.transactionHash,
    past: past.map(transferOf),
    read: {
      balance: String(await token.read.balanceOf([to])),
      value: String(await box.read.value()),
      version: String(await box.read.version()),
    },
  }),
);
