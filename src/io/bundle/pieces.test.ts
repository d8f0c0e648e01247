import { expect, it } from 'vitest';
import { decodePieces, encodePieces } from './pieces.ts';

const PIECES = new Map([
  ['main.js', { checksum: 7, code: Buffer.from('first') }],
  ['empty.js', { checksum: 2 ** 32 - 1, code: Buffer.alloc(0) }],
  ['chunk.js', { checksum: 0, code: Buffer.from('second') }],
]);

it('a file has the code of each chunk', () => {
  expect(decodePieces(encodePieces(PIECES))).toEqual(PIECES);
});

it('a file that was written in part has none', () => {
  const file = encodePieces(PIECES);
  for (let length = 0; length < file.length; length++)
    expect(decodePieces(file.subarray(0, length)).size).toBe(0);
});

it('a file with any damaged byte has none, nor has a foreign one', () => {
  for (let at = 0; at < encodePieces(PIECES).length; at++) {
    const file = encodePieces(PIECES);
    file[at]! ^= 4;
    expect(decodePieces(file).size).toBe(0);
  }
  expect(decodePieces(Buffer.from('#!/bin/sh\necho hello\n')).size).toBe(0);
});
