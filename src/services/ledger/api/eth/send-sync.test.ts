import { expect, it } from 'vitest';
import { signTransaction } from '../../../../core/chain/signing.ts';
import type { Context } from '../context.ts';
import { sendSyncMethods } from './send-sync.ts';

const CLIENTS_MAX = 1_000;

it('so many clients wait for a receipt at once', async () => {
  const giveUp: (() => void)[] = [];
  const submit = () =>
    new Promise<never>((_, reject) => giveUp.push(() => reject(new Error('given up'))));
  const context = { submitter: { submit } } as unknown as Context;
  const body = { nonce: 0n, gasLimit: 21_000n, to: new Uint8Array(20) };
  const { raw } = signTransaction(body, new Uint8Array(32).fill(9), { chainId: 1337n });
  const [method] = sendSyncMethods;
  const send = () => Promise.resolve(method!.call(context, '', [raw, 1_000]));
  const waiting = Promise.allSettled(Array.from({ length: CLIENTS_MAX }, send));
  await expect(send()).rejects.toMatchObject({ code: 'WAITERS_MAX' });
  for (const each of giveUp.splice(0)) each();
  expect(await waiting).toHaveLength(CLIENTS_MAX);
  const again = send();
  giveUp[0]!();
  await expect(again).rejects.toThrow('given up');
});
