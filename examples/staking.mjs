// Stakes validators on the devnet with the typed client, and waits until their deposits are in blocks.
// Start the network with `npm start`, then: node examples/staking.mjs
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { StakingClient, StakingError } from 'quorate/staking-client';

const { staking, accounts } = JSON.parse(
  readFileSync(process.argv[2] ?? '.quorate/devnet.json', 'utf8'),
);
const client = new StakingClient({ ...staking, ...staking.client });
const request = { withdrawal_pubkey: accounts[0].address, amount: '32000000000' };

// Keep the key with your order: after a crash, asking again under it stakes nothing twice.
const key = randomUUID();
const { stakes, eth1_contract_address: contract } = await client.stake(request, key);
const again = await client.stake(request, key);
console.log('asked twice, staked once', again.stakes[0].id === stakes[0].id);

const batch = await client.batchStake({ ...request, amount: '64000000000' }, randomUUID());
for (const { id } of [...stakes, ...batch.stakes]) {
  const { pubkey, status, block_number: block } = await settled(id);
  console.log('validator', pubkey.slice(0, 12), status, 'at', contract, 'in block', block);
}

await client.stake({ ...request, amount: '1' }, randomUUID()).catch((error) => {
  if (!(error instanceof StakingError)) throw error;
  console.log('refused', error.status, error.code);
});

async function settled(id) {
  for (;;) {
    const stake = await client.findStake(id);
    if (stake.status === 'DEPOSITED' || stake.status === 'FAILED') return stake;
    await pause(250);
  }
}
