import { expect, it } from 'vitest';
import { sizeFault } from './file-sizes.ts';

const lines = (count: number) => 'x\n'.repeat(count);

it('accepts files of 400 lines, and reports longer ones', () => {
  expect(sizeFault('src/a.ts', lines(400))).toBeUndefined();
  expect(sizeFault('src/a.ts', lines(401))).toContain('src/a.ts: 401 lines');
  expect(sizeFault('test/vectors/data/a.ts', lines(4_000))).toBeUndefined();
});
