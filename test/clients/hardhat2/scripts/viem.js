// Hardhat 2 with its viem plugin. See ../../README.md.
const { readFileSync } = require('node:fs');
const { viem } = require('hardhat');
const { encodeFunctionData } = require('viem');

const { to } = JSON.parse(readFileSync(process.env.TASK, 'utf8'));
const transferOf = ({ args: { from, to, value } }) => ({ from, to, value: String(value) });

async function main() {
  const node = await viem.getPublicClient();
  const [wallet] = await viem.getWalletClients();
  const mined = async (hash) => node.waitForTransactionReceipt({ hash: await hash });

  const token = await viem.deployContract('Token');
  const transfer = await mined(token.write.transfer([to, 5n]));
  const past = await token.getEvents.Transfer({ to }, { fromBlock: 0n });

  const first = await viem.deployContract('BoxV1');
  const call = encodeFunctionData({ abi: first.abi, functionName: 'initialize', args: [41n] });
  const proxy = await viem.deployContract('BoxProxy', [first.address, call]);
  const box = await viem.getContractAt('BoxV2', proxy.address);
  await mined(box.write.set([42n]));
  const second = await viem.deployContract('BoxV2');
  await mined(box.write.upgradeToAndCall([second.address, '0x']));
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
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
