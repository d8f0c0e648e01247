import { expect, it } from 'vitest';
import type { PeerWire } from './peers.ts';
import { PushQueue } from './push-queue.ts';

const URL = 'http://a/';
const MB = 1024 * 1024;

/** A queue to a peer that never answers: pushes stay in progress. */
function silentPeer() {
  let pushes = 0;
  const never = () => {
    pushes++;
    return new Promise<never>(() => undefined);
  };
  const wire = { push: never, pushBatch: never } as unknown as PeerWire;
  const queue = new PushQueue(wire, () => false);
  let refused = 0;
  const push = async (payload: Uint8Array) => {
    void queue.push(URL, payload).catch((error) => {
      expect(error).toMatchObject({ code: 'PTM_BUSY', message: expect.stringContaining(URL) });
      refused++;
    });
    await Promise.resolve();
  };
  return { push, refused: () => refused, pushes: () => pushes };
}

it('lets so many payloads wait for one peer, and refuses the next', async () => {
  const { push, refused, pushes } = silentPeer();
  for (let i = 0; i < 20_016; i++) await push(new Uint8Array(1));
  expect([pushes(), refused()]).toEqual([16, 0]);
  for (let i = 0; i < 3; i++) await push(new Uint8Array(1));
  expect(refused()).toBe(3);
});

it('lets so many bytes wait for one peer, and refuses what does not fit', async () => {
  const { push, refused } = silentPeer();
  const large = new Uint8Array(MB);
  for (let i = 0; i < 16 + 64; i++) await push(large);
  expect(refused()).toBe(0);
  await push(new Uint8Array(1));
  expect(refused()).toBe(1);
});
