import { describe, expect, it } from 'vitest';
import { environmentOf, SENDER, worldOf } from '../../../../../test/support/evm.ts';
import { rulesOfFork } from '../../../../../test/support/rules-of-fork.ts';
import { fromHex } from '../../../../core/base/hex.ts';
import { execute } from '../../../../core/evm/interpreter.ts';
import { startTrace, type TraceOptions, type TraceRoom } from './tracers.ts';

const BERLIN = rulesOfFork('berlin');
const TOO_LARGE = expect.objectContaining({ code: 'TRACE_TOO_LARGE' });

/** Struct logs of a creation that runs `code` with this much gas. */
function trace(
  code: string,
  gas: bigint,
  room: TraceRoom = { words: 0, bytes: 0 },
  tracer?: string,
  tracerConfig?: object,
): TraceRoom {
  const world = worldOf([{ address: SENDER, balance: 1n }]);
  const message = { sender: SENDER, to: undefined, accessList: [], gasLimit: gas, gasPrice: 0n };
  const data = fromHex(code);
  const options = { tracer, tracerConfig, timeoutMs: undefined, room } as TraceOptions;
  const traced = { world, rules: BERLIN, coinbase: SENDER, message: { ...message, data } };
  const running = startTrace(options, traced as unknown as Parameters<typeof startTrace>[1]);
  const environment = environmentOf(world, BERLIN, { tracer: running.tracer });
  execute({ caller: SENDER, to: undefined, value: 0n, data, gas }, environment);
  return room;
}

describe('struct logs', () => {
  it('end before copies of memory, or of storage, fill the heap', () => {
    // Writes one byte at 64 kB, then loops; the second code loops and stores in a new slot each
    // time.
    expect(() =>
      trace('0x600062010000525b600756', 300_000n, { words: 1_950_000, bytes: 0 }),
    ).toThrow(TOO_LARGE);
    expect(() =>
      trace('0x60005b80815560010160025600', 4_000_000n, { words: 1_950_000, bytes: 0 }),
    ).toThrow(TOO_LARGE);
  });

  it('of one request share what they may hold', () => {
    const room = trace('0x5b600056', 60_000n);
    const once = room.words;
    expect(trace('0x5b600056', 60_000n, room).words).toBe(2 * once);
    room.words = 2_000_000;
    expect(() => trace('0x5b600056', 60_000n, room)).toThrow(TOO_LARGE);
  });
});

describe('other traces end before they are longer than an answer may be', () => {
  const NEAR: TraceRoom = { words: 0, bytes: 67_000_000 };
  // Calls address 9 with 64 kB of input in a loop: the input is copied for each call.
  const CALLS = '0x600062010000525b6000600062010000600060006063612710f150600756';
  // Reads the balance of a new account in a loop; the second code reads a new slot each time.
  const LOOKS = '0x60005b803150600101600256';
  const SLOTS = '0x60005b805450600101600256';
  it.each([
    ['callTracer', undefined, CALLS],
    ['callTracer', {}, CALLS],
    ['flatCallTracer', undefined, CALLS],
    ['prestateTracer', undefined, LOOKS],
    ['prestateTracer', {}, LOOKS],
    ['prestateTracer', undefined, SLOTS],
    ['prestateTracer', {}, SLOTS],
    ['vmTracer', undefined, CALLS],
    ['vmTracer', undefined, SLOTS],
  ])('%s %o', (tracer, config, code) => {
    const run = (room: TraceRoom) => trace(code, 8_000_000n, room, tracer, config);
    expect(() => run({ ...NEAR })).toThrow(TOO_LARGE);
  });

  it('a short one is no longer than it is', () => {
    const short = { words: 0, bytes: 0 };
    trace('0x00', 60_000n, short, 'callTracer', {});
    expect(short.bytes).toBeGreaterThan(0);
    expect(short.bytes).toBeLessThan(1_000);
  });
});

it('so many tracers run in one muxTracer', () => {
  const counters = ['4byte', 'opcount', 'unigram', 'bigram', 'trigram', 'noop'];
  const names = [...counters, 'call', 'prestate', 'flatCall'].map((name) => `${name}Tracer`);
  const run = (count: number) => {
    const config = Object.fromEntries(names.slice(0, count).map((name) => [name, {}]));
    return trace('0x00', 60_000n, { words: 0, bytes: 0 }, 'muxTracer', config);
  };
  run(8);
  expect(() => run(9)).toThrow('at most 8 other tracers');
});
