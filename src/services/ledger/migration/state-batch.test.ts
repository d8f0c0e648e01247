import { describe, expect, it } from 'vitest';
import { EMPTY_ACCOUNT } from '../../../core/state/account.ts';
import { encodeStatePart } from '../../../core/store/base-records.ts';
import { StateBatch } from './state-batch.ts';

const HASH = new Uint8Array(32).fill(1);
const PART_BYTES = 1024 * 1024;
const CODE_BYTES = 24_576;

describe('pieces of a state', () => {
  it.each([
    ['nodes', (batch: StateBatch) => batch.node(HASH, new Uint8Array(8), new Uint8Array(532))],
    ['accounts', (batch: StateBatch) => batch.account(HASH, HASH.subarray(12), EMPTY_ACCOUNT)],
    ['slots', (batch: StateBatch) => batch.slot(HASH, HASH, 2n ** 255n, 2n ** 255n)],
    ['codes', (batch: StateBatch) => batch.code(HASH, new Uint8Array(CODE_BYTES))],
  ])('are full before they are larger than a megabyte: %s', (_what, add) => {
    const batch = new StateBatch(undefined);
    while (!batch.isFull) add(batch);
    const { length } = encodeStatePart(batch.take());
    expect(length).toBeLessThan(PART_BYTES + 2 * CODE_BYTES);
    expect(length).toBeGreaterThan(PART_BYTES / 4);
    expect(batch.isFull).toBe(false);
  });
});
