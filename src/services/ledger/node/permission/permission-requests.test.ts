import { expect, it } from 'vitest';
import type { Timers } from '../../../../core/base/ports.ts';
import { Events } from '../chain/events.ts';
import type { NetworkPermissions } from './network-permissions.ts';
import { type Action, type Actor, PermissionRequests } from './permission-requests.ts';

const ADDRESS = new Uint8Array(20).fill(1);

/** A network that makes no blocks, and the timers that were set. */
function standing() {
  const timers: (() => void)[] = [];
  const requests = new PermissionRequests({
    permissions: {
      unreadiness: undefined,
      settings: { config: { addresses: { interface: ADDRESS } }, isRaft: false },
      readPending: () => {},
    } as unknown as NetworkPermissions,
    events: new Events(),
    timers: {
      set: (_: number, due: () => void) => {
        timers.push(due);
        return { cancel: () => {} };
      },
    } as unknown as Timers,
    hasDns: false,
    resolve: async () => undefined,
  });
  const actor = {
    wallet: { addresses: () => [ADDRESS] },
    submitter: { send: async () => new Uint8Array(32).fill(2) },
  } as unknown as Actor;
  const action = {
    args: { from: ADDRESS },
    isWaiting: true,
    call: () => ADDRESS,
  } as unknown as Action;
  return { wait: () => requests.act(actor, action), timers };
}

it('1,000 clients wait for a block at once, 60 s each', async () => {
  const { wait, timers } = standing();
  const waiting = Array.from({ length: 1_000 }, wait);
  await expect.poll(() => timers.length, { timeout: 60_000 }).toBe(1_000);
  await expect(wait()).rejects.toMatchObject({ code: 'PERMISSION_BUSY' });
  for (const due of timers.splice(0)) due();
  const outcomes = await Promise.allSettled(waiting);
  const texts = new Set(outcomes.map((each) => each.status === 'rejected' && each.reason.message));
  expect([...texts]).toEqual([
    `transaction 0x${'02'.repeat(32)} is not in a block after 60 s: it still waits in the pool, or left it`,
  ]);
  const again = wait();
  await expect.poll(() => timers.length, { timeout: 60_000 }).toBe(1);
  timers[0]!();
  await expect(again).rejects.toThrow('60 s');
});
