/** A copy of a LevelDB that one thread lends to another one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { LevelCopy } from './level-copy.ts';

const folder = scratchFolder('quorate-level-');
const KEY = Uint8Array.of(1);

it('is opened by another one while it is lent, and then again by the first', async () => {
  const [source, scratch] = [join(folder, 'source'), join(folder, 'scratch')];
  const level = new ClassicLevel<Uint8Array, Uint8Array>(source, {
    keyEncoding: 'view',
    valueEncoding: 'view',
  });
  await level.put(KEY, Uint8Array.of(7));
  await level.close();
  const copy = await LevelCopy.open(source, scratch);
  await expect(LevelCopy.borrow(source, scratch)).rejects.toThrow(source);
  const read = await copy.lent(async () => {
    const borrowed = await LevelCopy.borrow(source, scratch);
    // Would open what the other one has.
    await copy.reopen();
    await borrowed.reopen();
    const value = borrowed.get(KEY);
    await borrowed.giveBack();
    return value;
  });
  expect([...read!]).toEqual([7]);
  expect(copy.get(KEY)).toEqual(read);
  await expect(copy.lent(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(copy.get(KEY)).toEqual(read);
  await copy.close();
  expect(existsSync(scratch)).toBe(false);
});
