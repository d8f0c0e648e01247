import { expect, it } from 'vitest';
import { joined } from './batch.ts';
import { freeMoved } from './moved-reply.ts';

it('frees bytes that are alone in their buffer, and no others', () => {
  const own = new Uint8Array([1, 2]);
  freeMoved(own);
  expect([own.length, own.buffer.byteLength]).toEqual([0, 0]);
  const part = new Uint8Array([1, 2, 3]).subarray(1);
  freeMoved(part);
  expect([...part]).toEqual([2, 3]);
  const pooled = Buffer.from('pooled');
  freeMoved(pooled);
  expect(String(pooled)).toBe('pooled');
  freeMoved('text');
});

it('frees the replies of a batch when they are joined', () => {
  const replies = [new TextEncoder().encode('1'), '2', new TextEncoder().encode('3')];
  expect(String(joined(replies))).toBe('[1,2,3]');
  expect(replies.map(({ length }) => length)).toEqual([0, 1, 0]);
});
