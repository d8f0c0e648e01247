import { expect, it } from 'vitest';
import type { PublicKey } from '../../../core/payload/payload.ts';
import { type EncodedPayload, NO_METADATA } from '../../../core/payload/payload.ts';
import { MemoryKv } from '../../../io/storage/memory-kv.ts';
import { Distributor } from './distributor.ts';
import { KvPayloadStore } from './kv-store.ts';
import { PartyTable } from './party-table.ts';
import type { PeerWire } from './peers.ts';

const key = (fill: number): PublicKey => new Uint8Array(32).fill(fill);
const hashOf = (fill: number) => new Uint8Array(64).fill(fill);

const payload: EncodedPayload = {
  ...NO_METADATA,
  senderKey: key(1),
  cipherText: new Uint8Array(40),
  cipherTextNonce: new Uint8Array(24),
  recipientBoxes: [new Uint8Array(48), new Uint8Array(48)],
  recipientNonce: new Uint8Array(24),
  recipientKeys: [key(1), key(2)],
};

it('keeps a bounded number of payloads for a recipient that is away, over a restart too', async () => {
  const url = 'http://two:9000/';
  const table = new PartyTable({
    ownUrl: 'http://one:9000/',
    ownKeys: [key(1)],
    configured: [url],
    discovery: true,
    clock: { nowMs: () => 0 },
    calendar: { nowMs: () => 0 },
  });
  table.update(url, [key(2)], ['v1', 'v2']);
  let isAway = true;
  let pushes = 0;
  const push = async () => {
    pushes++;
    if (isAway) throw new Error('away');
    return { kind: 'stored' } as const;
  };
  const store = new KvPayloadStore(new MemoryKv());
  let nowMs = 0;
  const due: (() => void)[] = [];
  const start = async () => {
    const distributor = new Distributor({
      store,
      table,
      wire: { push } as unknown as PeerWire,
      clock: { nowMs: () => nowMs },
      timers: {
        set: (_delayMs, fire) => {
          due.push(fire);
          return { cancel: () => undefined };
        },
        yield: (next) => next(),
      },
      say: () => undefined,
      metrics: { count: () => undefined, gauge: () => undefined, observe: () => undefined },
      seed: 1,
      owedMax: 3,
    });
    await distributor.start();
    return distributor;
  };
  const send = async (distributor: Distributor, number: number) => {
    distributor.check(payload, [key(2)]);
    const stored = store.put(hashOf(number), payload, [key(2)]);
    await expect(distributor.distribute(hashOf(number), payload, [key(2)], stored)).rejects.toThrow(
      'away',
    );
    await stored;
  };
  const first = await start();
  for (const number of [1, 2, 3]) await send(first, number);
  const refusal = expect.objectContaining({
    code: 'PTM_BUSY',
    message: expect.stringContaining('has been away for 3 payloads'),
  });
  expect(() => first.check(payload, [key(2)])).toThrow(refusal);
  first.stop();

  const again = await start();
  expect(() => again.check(payload, [key(2)])).toThrow(refusal);
  isAway = false;
  nowMs += 600_000;
  const before = pushes;
  for (const fire of due.splice(0)) fire();
  await expect.poll(async () => (await store.owedRecipients()).length).toBe(0);
  expect(pushes - before).toBe(3);
  await expect.poll(() => again.check(payload, [key(2)])).toBeUndefined();
});
