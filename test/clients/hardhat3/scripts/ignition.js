// Hardhat 3 with Ignition, which deploys from a declared plan. See ../../README.md.
import { readFileSync } from 'node:fs';
import hre from 'hardhat';
import plan from '../ignition/modules/plan.js';

const { to } = JSON.parse(readFileSync(process.env.TASK, 'utf8'));
const transferOf = ({ args: { from, to, value } }) => ({ from, to, value: String(value) });
const { ethers, ignition } = await hre.network.create('ledger');

const { token, box } = await ignition.deploy(plan, { deploymentId: `to-${to}` });
const [signer] = await ethers.getSigners();
const transfer = await (await token.transfer(to, 5)).wait();
const past = await token.queryFilter(token.filters.Transfer(null, to), 0);
await (await signer.sendTransaction({ to, value: 1 })).wait();

console.log(
  JSON.stringify({
    token: await token.getAddress(),
    box: await box.getAddress(),
    transaction: transfer.hash,
    past: past.map(transferOf),
    read: {
      balance: String(await token.balanceOf(to)),
      value: String(await box.value()),
      version: String(await box.version()),
    },
  }),
);
