import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { bareHex } from './hex.ts';
import { JsonWriter, WORD_DIGITS } from './json-writer.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const ascii = fc.string({ unit: 'binary-ascii', maxLength: 100 });
const hex = (word: bigint) => word.toString(16).padStart(WORD_DIGITS, '0');

/** One piece: how it is written, and its text beside what was written before. */
interface Piece {
  write(writer: JsonWriter): void;
  text(before: string): string;
}

const piece = fc.oneof<fc.Arbitrary<Piece>[]>(
  ascii.map((text) => ({ write: (to) => to.text(text), text: () => text })),
  ascii.map((text) => ({ write: (to) => to.put(encoder.encode(text)), text: () => text })),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => ({
    ...{ write: (to: JsonWriter) => to.hex(bytes), text: () => bareHex(bytes) },
  })),
  fc
    .oneof(fc.maxSafeNat(), fc.constantFrom(-1, 0, 9, 10, 2 ** 53 - 1, 2 ** 64, 1e21))
    .map((value) => ({
      ...{ write: (to: JsonWriter) => to.decimal(value), text: () => JSON.stringify(value) },
    })),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((word) => ({
    write: (to) => to.wordAt(to.reserve(WORD_DIGITS), word),
    text: () => hex(word),
  })),
  fc.tuple(fc.nat(), fc.nat()).map(([a, b]) => {
    const between = (length: number) => {
      const [start, end] = [a % (length + 1), b % (length + 1)];
      return [Math.min(start, end), Math.max(start, end)] as const;
    };
    return {
      write: (to: JsonWriter) => to.repeat(...between(to.length)),
      text: (before: string) => before.slice(...between(before.length)),
    };
  }),
);

it('writes what the pieces are as text', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), ascii, ascii, (pieces, before, after) => {
      const writer = new JsonWriter();
      for (const each of pieces) each.write(writer);
      const text = pieces.reduce((sum, each) => sum + each.text(sum), '');
      expect(decoder.decode(writer.finish(before, after))).toBe(`${before}${text}${after}`);
    }),
    { numRuns: runs(300) },
  );
});

it('grows, and two writers at a time keep apart', () => {
  const [a, b] = [new JsonWriter(), new JsonWriter()];
  const long = 'x'.repeat(300_000);
  for (const digit of '01234') {
    a.text(digit);
    b.text(long);
    b.text(digit);
  }
  const again = new JsonWriter();
  expect(decoder.decode(a.finish())).toBe('01234');
  again.text('new');
  expect(decoder.decode(b.finish())).toBe([...'01234'].map((digit) => long + digit).join(''));
  expect(decoder.decode(again.finish())).toBe('new');
});
