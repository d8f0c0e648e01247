// Hardhat 2 with its ethers plugin and OpenZeppelin's upgrades. See ../../README.md.
const { readFileSync } = require('node:fs');
const { ethers, upgrades } = require('hardhat');

const { to } = JSON.parse(readFileSync(process.env.TASK, 'utf8'));
const transferOf = ({ args: { from, to, value } }) => ({ from, to, value: String(value) });

async function main() {
  const token = await ethers.deployContract('Token');
  await token.waitForDeployment();
  const transfer = await (await token.transfer(to, 5)).wait();
  const past = await token.queryFilter(token.filters.Transfer(null, to), 0);

  const first = await upgrades.deployProxy(await ethers.getContractFactory('BoxV1'), [41]);
  await first.waitForDeployment();
  await (await first.set(42)).wait();
  const box = await upgrades.upgradeProxy(first, await ethers.getContractFactory('BoxV2'));
  // Mined after the upgrade, which the same account sent.
  const [signer] = await ethers.getSigners();
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
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
