import { describe, expect, it } from 'vitest';
import { environmentOf, SENDER, worldOf } from '../../../../../test/support/evm.ts';
import { rulesOfFork } from '../../../../../test/support/rules-of-fork.ts';
import { fromHex } from '../../../../core/base/hex.ts';
import { execute } from '../../../../core/evm/interpreter.ts';
import { startTrace, type TraceRoom } from './tracers.ts';

const BERLIN = rulesOfFork('berlin');
const TOO_LARGE = expect.objectContaining({ code: 'TRACE_TOO_LARGE' });

/** Struct logs of a creation that runs `code` with so much gas. */
function trace(code: string, gas: bigint, room: TraceRoom = { words: 0 }): TraceRoom {
  const world = worldOf([{ address: SENDER, balance: 1n }]);
  const message = { sender: SENDER, to: undefined, accessList: [], gasLimit: gas, gasPrice: 0n };
  const data = fromHex(code);
  const options = { tracer: undefined, tracerConfig: undefined, timeoutMs: undefined, room };
  const traced = { world, rules: BERLIN, coinbase: SENDER, message: { ...message, data } };
  const { tracer } = startTrace(options, traced as unknown as Parameters<typeof startTrace>[1]);
  const environment = environmentOf(world, BERLIN, { tracer });
  execute({ caller: SENDER, to: undefined, value: 0n, data, gas }, environment);
  return room;
}

describe('struct logs', () => {
  it('end before copies of memory, or of storage, fill the heap', () => {
    // One byte at 64 kB, then a loop; then a loop that stores in ever new slots.
    expect(() => trace('0x600062010000525b600756', 300_000n, { words: 1_950_000 })).toThrow(
      TOO_LARGE,
    );
    expect(() => trace('0x60005b80815560010160025600', 4_000_000n, { words: 1_950_000 })).toThrow(
      TOO_LARGE,
    );
  });

  it('of one request share what they may hold', () => {
    const room = trace('0x5b600056', 60_000n);
    const once = room.words;
    expect(trace('0x5b600056', 60_000n, room).words).toBe(2 * once);
    room.words = 2_000_000;
    expect(() => trace('0x5b600056', 60_000n, room)).toThrow(TOO_LARGE);
  });
});
