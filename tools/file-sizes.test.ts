import { expect, it } from 'vitest';
import { sizeFault } from './file-sizes.ts';

const lines = (count: number) => 'x\n'.repeat(count);

it('takes files of 400 lines, and names longer ones', () => {
  expect(sizeFault('src/a.ts', lines(400))).toBeUndefined();
  expect(sizeFault('src/a.ts', lines(401))).toContain('src/a.ts: 401 lines');
  expect(sizeFault('test/vectors/data/a.ts', lines(4_000))).toBeUndefined();
});

it('lets files of its list shrink, never grow, and leave it', () => {
  const longer = { 'src/a.ts': 500 };
  expect(sizeFault('src/a.ts', lines(450), longer)).toBeUndefined();
  expect(sizeFault('src/a.ts', lines(501), longer)).toContain('at most 500');
  expect(sizeFault('src/a.ts', lines(400), longer)).toContain('off the list');
});
