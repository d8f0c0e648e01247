/** The sandbox as a customer waits for it. */
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { systemClock } from '../../../io/host/clock.ts';
import type { BuyOrder } from '../orders/order-row.ts';
import { openRampStore } from '../store/open.ts';
import { Sandbox } from './sandbox.ts';

const LOOK_MS = 60_000;

function orderNamed(id: string): BuyOrder {
  const terms = { amountIn: 100n, fiat: { id: 'USD', decimals: 2 } };
  return { id, payment: 'debit-credit-card', terms } as unknown as BuyOrder;
}

it('reports the payment of a customer without waiting for those of others', async () => {
  const dataFolder = scratchFolder('quorate-sandbox-');
  const database = await openRampStore({ dataFolder, storeUrl: undefined }, {});
  const sandbox = new Sandbox({ database, clock: systemClock, log: () => {}, lookMs: LOOK_MS });
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const reported: string[] = [];
  sandbox.start(async (id) => {
    if (id === 'slow') await gate;
    reported.push(id);
  });
  const answers = { card: '4242 4242 4242 4242' };
  const slow = sandbox.begin(orderNamed('slow'), answers);
  await sandbox.begin(orderNamed('quick'), answers);
  expect(reported).toEqual(['quick']);
  letGo();
  await slow;
  expect(reported).toContain('slow');
  await sandbox.stop();
  await database.close();
});
