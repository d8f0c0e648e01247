import { expect, it } from 'vitest';
import { recoverElsewhere } from '../../core/chain/sender-recovery.ts';
import { signTransaction } from '../../core/chain/signing.ts';
import { decodeTransaction } from '../../core/chain/transaction.ts';
import { RecoveryThread } from './spare-recovery.ts';

const SECRET_KEY = new Uint8Array(32).fill(7);

/** A thread on a machine that always has as many free processors, beside a loop that is as busy. */
function threadOn(machine: { free: number; busy: number }) {
  let nowMs = 0;
  const thread = new RecoveryThread({
    nowMs: () => nowMs,
    freeProcessors: () => machine.free,
    busyShare: () => machine.busy,
  });
  const later = (ms: number) => {
    nowMs += ms;
    return thread.isSpare;
  };
  return { thread, later };
}

it('has time while a processor is free and this thread is busy', async () => {
  const machine = { free: 0.6, busy: 0.9 };
  const { thread, later } = threadOn(machine);
  expect(thread.isSpare).toBe(false);
  expect(later(500)).toBe(true);
  machine.free = 0.2;
  expect(later(400)).toBe(true);
  expect(later(500)).toBe(false);
  Object.assign(machine, { free: 2, busy: 0.2 });
  expect(later(500)).toBe(false);
  await thread.stop();
});

it('recovers senders, and takes so many batches', async () => {
  const { thread, later } = threadOn({ free: 1, busy: 1 });
  expect(later(500)).toBe(true);
  const batches = [0n, 1n, 2n, 3n].map((nonce) => {
    const { raw } = signTransaction({ nonce }, SECRET_KEY, { chainId: 1337n });
    return decodeTransaction(raw);
  });
  const recovered = batches.map((each) => recoverElsewhere([each], thread));
  expect(thread.isSpare).toBe(false);
  await Promise.all(recovered);
  expect(thread.isSpare).toBe(true);
  for (const each of batches) expect(each.writeSigned(new Uint8Array(97))).toBe(false);
  await thread.stop();
});
