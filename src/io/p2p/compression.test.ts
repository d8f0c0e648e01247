import { expect, it } from 'vitest';
import { snappyDecode } from '../../core/wire/snappy.ts';
import { compress } from './compression.ts';

const text = (length: number) => Uint8Array.from({ length }, (_, at) => at % 7);

it('of a long message is done once for all receivers; of a short one each time', () => {
  const [long, other, short] = [text(100_000), text(100_000), text(100)] as const;
  expect(compress(long)).toBe(compress(long));
  expect(compress(other)).not.toBe(compress(long));
  expect(compress(short)).not.toBe(compress(short));
  for (const each of [long, other, short]) expect(snappyDecode(compress(each), 1e6)).toEqual(each);
});
