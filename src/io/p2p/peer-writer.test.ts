import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { PeerTurns } from './peer-turns.ts';
import { PeerWriter } from './peer-writer.ts';
import type { RlpxSession } from './rlpx-session.ts';

const PIECES = 40;
const LONG = new Uint8Array(1_000_000);
const SHORT = new Uint8Array(10);

/**
 * A session in which each piece of a long message takes a millisecond, and a socket that keeps the
 * written bytes.
 */
function scene() {
  let nowMs = 0;
  const written: number[] = [];
  const failures: unknown[] = [];
  const session = {
    encode: (code: number) => Uint8Array.of(code),
    *encodeInPieces(code: number, bytes: Uint8Array) {
      if (bytes.length > 2_000_000) throw new Error('too long');
      for (let i = 0; i < (bytes === SHORT ? 2 : PIECES); i++) {
        nowMs += 1;
        yield i % 2 === 0 ? undefined : Uint8Array.of(code);
      }
    },
  } as unknown as RlpxSession;
  const drains: (() => void)[] = [];
  const fill = { bytes: 0 };
  const socket = {
    cork: () => undefined,
    uncork: () => undefined,
    write: (bytes: Uint8Array) => written.push(bytes[0]!),
    once: (_: 'drain', drained: () => void) => drains.push(drained),
    get writableLength() {
      return fill.bytes;
    },
  } as unknown as Socket;
  const drain = () => {
    fill.bytes = 0;
    for (const drained of drains.splice(0)) drained();
  };
  const turns = new PeerTurns(() => nowMs);
  const parts = { socket, session, turns, wrote: () => undefined };
  const writer = () => new PeerWriter({ ...parts, failed: (error) => failures.push(error) });
  const isOver = (each: PeerWriter) => each.waitingBytes === 0;
  return { writer, written, failures, isOver, fill, drain };
}

async function turnsUntil(isOver: () => boolean): Promise<number> {
  for (let turns = 0; ; turns++) {
    if (isOver()) return turns;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('sends a long message in turns, and what follows it after it', async () => {
  const { writer, written, isOver } = scene();
  const one = writer();
  one.write(1, SHORT);
  one.write(2, LONG);
  one.write(3, SHORT);
  one.write(4, LONG);
  expect(one.waitingBytes).toBe(2 * LONG.length + SHORT.length);
  // A turn takes five milliseconds, so most pieces are not written yet.
  expect(written.length).toBeLessThan(5);
  const turns = await turnsUntil(() => isOver(one));
  expect(turns).toBeGreaterThan((2 * PIECES) / 5 - 2);
  const half = PIECES / 2;
  expect(written).toEqual([1, ...Array(half).fill(2), 3, ...Array(half).fill(4)]);
  one.write(5, SHORT);
  expect(written.at(-1)).toBe(5);
});

it('sends consensus before what waits, but not into a message that was begun', async () => {
  const { writer, written, isOver } = scene();
  const one = writer();
  one.write(1, LONG);
  one.write(2, LONG);
  one.write(3, LONG, true);
  one.write(4, SHORT, true);
  one.write(5, SHORT);
  await turnsUntil(() => isOver(one));
  const order = written.filter((code, at) => code !== written[at - 1]);
  expect(order).toEqual([1, 3, 4, 2, 5]);
});

it('leaves a full socket to consensus', async () => {
  const { writer, written, isOver, fill, drain } = scene();
  const one = writer();
  fill.bytes = 2_000_000;
  one.write(1, SHORT);
  one.write(2, LONG);
  one.write(3, SHORT, true);
  one.write(4, LONG, true);
  await turnsUntil(() => written.filter((code) => code === 4).length === PIECES / 2);
  expect(written[0]).toBe(3);
  expect(written).not.toContain(1);
  expect(written).not.toContain(2);
  drain();
  await turnsUntil(() => isOver(one));
  expect(written.filter((code) => code < 3).slice(0, 2)).toEqual([1, 2]);
});

it('shares the turns between peers', async () => {
  const { writer, written, isOver } = scene();
  const [one, two] = [writer(), writer()];
  one.write(1, LONG);
  two.write(2, LONG);
  await turnsUntil(() => isOver(one) && isOver(two));
  // Neither message waits for the end of the other.
  expect(written.indexOf(2)).toBeLessThan(written.lastIndexOf(1));
});

it('reports a message that cannot be sent, and sends nothing after its end', async () => {
  const { writer, written, failures } = scene();
  const one = writer();
  one.write(1, new Uint8Array(3_000_000));
  expect(failures).toMatchObject([{ message: 'too long' }]);
  one.end();
  const two = writer();
  two.write(2, LONG);
  two.end();
  const before = written.length;
  expect(two.waitingBytes).toBe(0);
  await turnsUntil(() => true);
  const third = writer();
  third.write(3, LONG);
  await turnsUntil(() => third.waitingBytes === 0);
  expect(written.slice(before)).toEqual(Array(PIECES / 2).fill(3));
});
