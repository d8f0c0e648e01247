import { expect, it } from 'vitest';
import { bytesToBigInt } from '../base/quantity.ts';
import { impersonate } from './impersonation.ts';
import { withSignature } from './signing.ts';
import { decodeTransaction } from './transaction.ts';

/** Addresses, some with leading zeros. */
const SENDERS = [0x77, 0, 1].map((first) => new Uint8Array(20).fill(0x55).fill(first, 0, 2));

function signedBy(sender: Uint8Array, isPrivate: boolean) {
  const signature = impersonate(sender);
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)].map(bytesToBigInt);
  const body = { nonce: 3n, gasLimit: 21_000n, to: sender, chainId: 1337n };
  const parts = { parity: 0, r: r!, s: s! } as const;
  return withSignature(body, parts, { isPrivate, dialect: 'development' });
}

it('on a development chain such a signature names its sender, private or not', () => {
  for (const sender of SENDERS)
    for (const isPrivate of [false, true]) {
      const transaction = signedBy(sender, isPrivate);
      expect(transaction.sender).toEqual(sender);
      const read = decodeTransaction(transaction.raw, 'development');
      expect([read.sender, read.isPrivate]).toEqual([sender, isPrivate]);
    }
});

it('on any other chain it names nobody', () => {
  const senderOf = (raw: Uint8Array, dialect: 'quorum' | 'ethereum') => {
    try {
      return decodeTransaction(raw, dialect).sender;
    } catch {
      return undefined;
    }
  };
  for (const sender of SENDERS)
    for (const dialect of ['quorum', 'ethereum'] as const)
      for (const isPrivate of [false, true])
        expect(senderOf(signedBy(sender, isPrivate).raw, dialect)).not.toEqual(sender);
});
