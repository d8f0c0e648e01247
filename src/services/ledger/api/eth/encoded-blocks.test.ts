import { expect, it, vi } from 'vitest';
import { EncodedBlocks } from './encoded-blocks.ts';

const MB = 1024 * 1024;

it('encodes a block once', () => {
  const blocks = new EncodedBlocks();
  const render = vi.fn(() => ({ number: '0x1' }));
  expect(blocks.encoded('1', render).text).toBe('{"number":"0x1"}');
  expect(blocks.encoded('1', render).text).toBe('{"number":"0x1"}');
  expect(render).toHaveBeenCalledTimes(1);
});

it('keeps at most 8 MB of texts, and 128 of them', () => {
  const blocks = new EncodedBlocks();
  const isKept = (key: string) => {
    const render = vi.fn(() => ({}));
    blocks.encoded(key, render);
    return render.mock.calls.length === 0;
  };
  const large = { text: 'x'.repeat(MB) };
  for (let number = 0; number < 10; number++) blocks.encoded(`large ${number}`, () => large);
  expect(isKept('large 9')).toBe(true);
  expect(isKept('large 1')).toBe(false);
  blocks.encoded('huge', () => ({ text: 'x'.repeat(9 * MB) }));
  expect(isKept('large 9')).toBe(true);
  for (let number = 0; number < 130; number++) blocks.encoded(`small ${number}`, () => ({}));
  expect(isKept('small 129')).toBe(true);
  expect(isKept('large 9')).toBe(false);
});
