import { expect, it } from 'vitest';
import type { Account } from './account.ts';
import { dumpAccounts, dumpStorage } from './dump.ts';
import type { StateReader } from './reader.ts';

const ZERO = new Uint8Array(32);

/** An endless state: a listing of it must be stopped. */
const reader = {
  account: () => ({ codeHash: ZERO }) as Account,
  code: () => new Uint8Array(1_000),
  *accounts() {
    for (;;) yield { address: new Uint8Array(20) };
  },
  *slots() {
    for (let slot = 0n; ; slot++) yield { slot, value: 1n };
  },
} as unknown as StateReader;

function upTo(bytes: number) {
  const spent = { bytes: 0 };
  const spend = (count: number) => {
    spent.bytes += count;
    if (spent.bytes > bytes) throw new Error('no room');
  };
  return { spent, spend };
}

it('a listing tells what it spends before it holds it', () => {
  const none = { withCode: true, withStorage: false };
  for (const list of [
    (spend: (bytes: number) => void) => dumpAccounts(reader, ZERO, 1e9, spend, none),
    (spend: (bytes: number) => void) => dumpAccounts(reader, ZERO, 1e9, spend),
    (spend: (bytes: number) => void) => dumpStorage(reader, new Uint8Array(20), ZERO, 1e9, spend),
  ]) {
    const { spent, spend } = upTo(100_000);
    expect(() => list(spend)).toThrow('no room');
    expect(spent.bytes).toBeLessThan(110_000);
  }
});
