import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { CONTRACT, environmentOf, SENDER, worldOf } from '../../../../test/support/evm.ts';
import { rulesOfFork } from '../../../../test/support/rules-of-fork.ts';
import type { Address } from '../../base/bytes.ts';
import { fromHex, toHex } from '../../base/hex.ts';
import type { Fork } from '../../chain/rules.ts';
import { execute } from '../interpreter.ts';
import { Machine } from './machine.ts';

const addressOf = (id: number): Address => new Uint8Array(20).fill(id);
const CALLED = [0x44, 0x55];
/** 0x64 asks for the same place in the linear memory as 0x44; 0x99 is absent. */
const ASKED = [0x22, ...CALLED, 0x64, 0x99];
const push = (id: number) => `73${toHex(addressOf(id)).slice(2)}`;
const word16 = (n: number) => `61${n.toString(16).padStart(4, '0')}`;

interface Setting {
  readonly fork?: Fork;
  readonly gas?: bigint;
  readonly called?: readonly string[];
}

/** Runs the code in both loops, and in both by turns; the results must be equal. */
function both(code: string, { fork = 'cancun', gas = 3_000_000n, called = [] }: Setting = {}) {
  const [plain, fast, mixed] = [true, false, undefined].map((isPlain) => {
    const world = worldOf([
      { address: SENDER, balance: 10n ** 18n },
      { address: CONTRACT, balance: 2n ** 70n, nonce: 1n, code: fromHex(`0x${code}`) },
      { address: addressOf(0x64), balance: 3n, nonce: 1n, code: fromHex('0x6001') },
      ...called.map((each, i) => ({
        ...{ address: addressOf(CALLED[i]!), balance: 7n, nonce: 1n },
        code: fromHex(`0x${each}`),
      })),
    ]);
    const message = { caller: SENDER, to: CONTRACT, value: 0n, data: new Uint8Array(0), gas };
    const environment = environmentOf(world, rulesOfFork(fork), { isPlain });
    const { output, ...result } = execute(message, environment);
    return { ...result, output: toHex(output) };
  });
  expect(fast).toEqual(plain);
  expect(mixed).toEqual(plain);
  return fast!;
}

/** Replaces the word at 0 by the hash of itself and the top of the stack. */
const MIX = '6020526040600020600052';
const RETURN_MIX = '60206000f3';

const asked = fc.constantFrom(...ASKED);
const question = fc.oneof(
  fc
    .tuple(fc.constantFrom('31', '3b', '3f'), asked)
    .map(([op, account]) => `${push(account)}${op}${MIX}`),
  fc.constant(`47${MIX}`),
  fc
    .tuple(fc.nat(90), fc.constantFrom(0, 1, 5, 90), fc.nat(200), asked)
    .map(
      ([length, from, to, account]) =>
        `${word16(length)}${word16(from)}${word16(64 + to)}${push(account)}3c${word16(64 + to)}51${MIX}`,
    ),
);
const calls = fc.oneof(
  fc
    .tuple(fc.constantFrom('f1', 'f2', 'f4', 'fa'), fc.nat(1), fc.constantFrom(...CALLED, 0x99))
    .map(([op, value, account]) => {
      const withValue = op < 'f4' ? `60${value.toString().padStart(2, '0')}` : '';
      return `6020608060006000${withValue}${push(account)}619c40${op}${MIX}608051${MIX}`;
    }),
  // CREATE with a wei, of an account without code.
  fc.constant(`600060006001f0${MIX}`),
  fc.constant('600160005401600055'),
);
const steps = (step: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(step, { minLength: 2, maxLength }).map((each) => each.join(''));
const end = fc.constantFrom(RETURN_MIX, '60206000fd', `${push(0x99)}ff`, `${push(0x22)}ff`, 'fe');
const called = fc
  .tuple(steps(fc.oneof(question, calls), 5), end)
  .map(([code, last]) => `${code}${last}`);
const forks = fc.constantFrom<Fork>('constantinople', 'istanbul', 'berlin', 'cancun');

describe('accounts that the loop reads again', () => {
  it('are read alike in both loops, between calls, creations and failures', () => {
    const main = steps(fc.oneof({ weight: 3, arbitrary: question }, calls), 14);
    fc.assert(
      fc.property(forks, main, called, called, fc.boolean(), (fork, code, a, b, isShort) => {
        const setting = { fork, called: [a, b] };
        both(`${code}${RETURN_MIX}`, setting);
        if (isShort) both(`${code}${RETURN_MIX}`, { ...setting, gas: 60_000n });
      }),
      { numRuns: 400 },
    );
  });

  it('cost the same up to the end of the gas, and copy what lies beyond the code', () => {
    const words = (from: string) => `6040${from}6000${push(0x64)}3c600051602051`;
    const often = (code: string) => code.repeat(3);
    for (const code of [
      often(`${push(0x64)}3150${push(0x99)}3f50${push(0x64)}3b50`),
      often('4750'),
      often(words('6001')),
      often(words(`7f${'ff'.repeat(32)}`)),
      often(`602060006160003c${push(0x99)}3c`),
      `${often(words('6000'))}7f${'ff'.repeat(32)}6000${'6000'}${push(0x64)}3c`,
    ]) {
      for (let gas = 0n; gas < 9_000n; gas += 31n) both(`${code}${RETURN_MIX}`, { gas });
      both(`${code}${RETURN_MIX}`);
    }
  });

  it('are those of the whole word that was asked for', () => {
    const dirty = `7f${'01'.repeat(12)}${'64'.repeat(20)}`;
    for (const op of ['31', '3b', '3f']) {
      both(`${push(0x64)}${op}${MIX}${dirty}${op}${MIX}`.repeat(2) + RETURN_MIX);
    }
  });

  it.each([
    ['BALANCE', 'balance', '31', 1],
    ['SELFBALANCE', 'balance', '47', 1],
    ['EXTCODESIZE', 'code', '3b', 1],
    ['EXTCODEHASH', 'codeHash', '3f', 1],
    // The second time, the code is put beside those of frames.
    ['EXTCODECOPY', 'code', '3c', 3],
  ] as const)('are not found by the host again: %s', (_name, method, op, times) => {
    const account = { balance: 1n, code: fromHex('0x6001') };
    const world = worldOf(ASKED.map((id) => ({ ...account, address: addressOf(id) })));
    const read = vi.spyOn(world, method);
    const run = (code: string) => {
      read.mockClear();
      const message = { caller: SENDER, to: CONTRACT, value: 0n, data: new Uint8Array(0) };
      const environment = environmentOf(world, rulesOfFork('berlin'));
      const bytes = fromHex(`0x${code.repeat(9)}00`);
      const { kind } = execute({ ...message, code: bytes, gas: 100_000n }, environment);
      expect(kind).toBe('success');
      return read.mock.calls.length;
    };
    const ask = (id: number) => `604060006000${push(id)}${op}`;
    const others = run('6000');
    expect(run(ask(0x64)) - others).toBe(times);
    if (op !== '47') expect(run(`${ask(0x44)}${ask(0x64)}`) - others).toBe(18);
  });

  it('have as many places as the layout has room for', () => {
    const machine = new Machine();
    const at = machine.constants.STACKS;
    const places = Array.from({ length: 256 }, (_, i) => {
      machine.setWord(at, BigInt(i));
      return machine.answerPlace(0x31, at);
    });
    expect(new Set(places).size).toBe(32);
    expect(Math.max(...places) + 96).toBeLessThanOrEqual(machine.constants.STACKS);
  });
});
