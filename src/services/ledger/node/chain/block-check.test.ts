import { describe, expect, it } from 'vitest';
import type { Slices } from '../../../../core/base/pace.ts';
import { BlockCheck } from './block-check.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A check of five slices that counts the executed ones. */
function checkOf(fault?: string) {
  const work = { slices: 0 };
  function* slices(): Slices<string | undefined> {
    for (; work.slices < 5; work.slices++) yield;
    return fault;
  }
  return { work, check: new BlockCheck(slices(), nextTurn) };
}

describe('the check of a block', () => {
  it('is one for all who ask', async () => {
    const { work, check } = checkOf('invalid merkle root');
    const faults = await Promise.all([check.fault(() => true), check.fault(() => true)]);
    expect(faults).toEqual(['invalid merkle root', 'invalid merkle root']);
    expect(work.slices).toBe(5);
    expect(await check.fault(() => true)).toBe('invalid merkle root');
  });

  it('pauses while nobody wants it, and continues where it was', async () => {
    const { work, check } = checkOf('gas');
    const isWanted = () => work.slices < 2;
    expect(await check.fault(isWanted)).toBe(undefined);
    expect([work.slices, check.isAtRest]).toEqual([2, true]);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(work.slices).toBe(2);
    expect(await check.fault(() => true)).toBe('gas');
    expect(work.slices).toBe(5);
  });

  it('continues for one who still wants it', async () => {
    const { work, check } = checkOf('gas');
    const abandoned = check.fault(() => work.slices < 2);
    expect(await check.fault(() => true)).toBe('gas');
    await abandoned;
  });

  it('fails for all when the work fails', async () => {
    const check = new BlockCheck(
      (function* () {
        yield;
        throw new Error('the disk is full');
      })(),
      nextTurn,
    );
    await expect(check.fault(() => true)).rejects.toThrow('the disk is full');
  });
});
