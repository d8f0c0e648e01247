import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loopDifferenceAt } from '../../../../test/differential/compare-evm.ts';
import { CONTRACT, environmentOf, SENDER, worldOf } from '../../../../test/support/evm.ts';
import { rulesOfFork } from '../../../../test/support/rules-of-fork.ts';
import { fromHex, toHex } from '../../base/hex.ts';
import { keccak256 } from '../../base/keccak.ts';
import { gasPace } from '../../base/pace.ts';
import { bigIntToFixed } from '../../base/quantity.ts';
import { type Environment, execute, executeInSlices } from '../interpreter.ts';

const CANCUN = rulesOfFork('cancun');
const PROGRAMS = 1_000;
const FIRST_SEED = 7_000_000;

const push = (word: bigint) => `7f${toHex(bigIntToFixed(word, 32)).slice(2)}`;
const word16 = (n: number) => `61${n.toString(16).padStart(4, '0')}`;
const RETURN_TOP = '60005260206000f3';

function call(code: string, extra: Partial<Environment> = {}, gas = 10_000_000n) {
  const world = worldOf([
    { address: SENDER, balance: 10n ** 18n },
    { address: CONTRACT, balance: 0n, nonce: 1n, code: fromHex(`0x${code}`) },
  ]);
  const message = { caller: SENDER, to: CONTRACT, value: 0n, data: new Uint8Array(0), gas };
  return { message, world, environment: environmentOf(world, CANCUN, extra) };
}

/** Runs the code in both loops, whose results must be equal, and returns the result. */
function both(code: string, gas?: bigint) {
  const [plain, fast] = [true, false].map((isPlain) => {
    const { message, world, environment } = call(code, { isPlain }, gas);
    const { kind, error, output, gasLeft } = execute(message, environment);
    const logs = world.logs
      .all()
      .map(({ address, topics, data }) => [address, ...topics, data].map(toHex).join(' '));
    return { kind, error, output: toHex(output), gasLeft, logs };
  });
  expect(fast).toEqual(plain);
  return fast!;
}

/** Words with which arithmetic is likely to fail: few bits set, few bits clear, and any words. */
const word = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.bigInt({ min: 0n, max: 300n }),
  fc
    .tuple(fc.integer({ min: 0, max: 256 }), fc.bigInt({ min: -2n, max: 2n }))
    .map(([bit, near]) => BigInt.asUintN(256, (1n << BigInt(bit)) + near)),
  fc
    .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }))
    .map(([a, b]) => BigInt.asUintN(256, (1n << BigInt(a)) - (1n << BigInt(b)))),
);

describe('the loop in WebAssembly beside the one in TypeScript', () => {
  it.each([
    ['with one operand', 1, ['15', '19', '35', '51']],
    [
      'with two',
      2,
      [
        '01',
        '02',
        '03',
        '04',
        '05',
        '06',
        '07',
        '0a',
        '0b',
        '10',
        '11',
        '12',
        '13',
        '14',
        '16',
      ].concat(['17', '18', '1a', '1b', '1c', '1d', '20']),
    ],
    ['with three', 3, ['08', '09']],
  ])('gives the same result for each opcode %s', (_name, operands, opcodes) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...opcodes),
        fc.array(word, { minLength: operands, maxLength: operands }),
        (opcode, words) => {
          both(`${words.map(push).join('')}${opcode}${RETURN_TOP}`);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('calls short code, which runs in TypeScript, with the same result', () => {
    const short = {
      stops: '00',
      'lacks a word': '50',
      'returns its input': '366000600037366000f3',
      'reverts with a word': '60aa60005260206000fd',
      'logs, stores': '600160206000a1600160015560015460005500',
      'uses all gas': 'fe',
      'tells who calls whom with what': '3360005230602052346040525a60605260806000f3',
      'calls its caller': '60006000600160006000335af160005260206000f3',
      'destroys itself': '33ff',
    };
    const called = new Uint8Array(20).fill(0x77);
    const keep = '610200523d610220523d60006102403e6104006000f3';
    for (const [name, code] of Object.entries(short)) {
      for (const opcode of ['f1', 'f2', 'f4', 'fa']) {
        const value = opcode < 'f4' ? '6001' : '';
        const range = '6080602060206000';
        const main = `${push(77n)}600052${range}${value}73${'77'.repeat(20)}61c350${opcode}${keep}`;
        // Called with input, as the called code does, it only adds.
        const caller = `3660${(4 + main.length / 2).toString(16)}57${main}5b60016002015000`;
        const [plain, mixed] = [true, undefined].map((isPlain) => {
          const world = worldOf([
            { address: SENDER, balance: 10n ** 18n },
            { address: CONTRACT, balance: 100n, nonce: 1n, code: fromHex(`0x${caller}`) },
            { address: called, balance: 5n, nonce: 1n, code: fromHex(`0x${code}`) },
          ]);
          const message = { caller: SENDER, to: CONTRACT, value: 0n, data: new Uint8Array(0) };
          const environment = environmentOf(world, CANCUN, { isPlain });
          const result = execute({ ...message, gas: 1_000_000n }, environment);
          const logs = world.logs
            .all()
            .map(({ address, data }) => `${toHex(address)} ${toHex(data)}`);
          return { ...result, output: toHex(result.output), logs };
        });
        expect(mixed, `${name}, ${opcode}`).toEqual(plain);
        expect(plain!.kind, `${name}, ${opcode}`).toBe('success');
      }
    }
  });

  it('hashes what has any length', () => {
    for (const length of [0, 1, 31, 32, 135, 136, 137, 271, 272, 273, 1000]) {
      both(`${push(2n ** 255n + 5n)}601152${push(BigInt(length))}600020${RETURN_TOP}`);
    }
  });

  it('runs random programs alike, with pauses anywhere', () => {
    const differences: string[] = [];
    for (let i = 0; i < PROGRAMS; i++) {
      const difference = loopDifferenceAt(FIRST_SEED + i);
      if (difference !== undefined) differences.push(difference);
    }
    expect(differences).toEqual([]);
  });

  describe('with words of any length, and with limbs of few bits or of all', () => {
    const limb = fc.constantFrom(0n, 1n, 2n ** 28n, 2n ** 29n - 1n);
    const ofLimbs = fc.array(limb, { minLength: 9, maxLength: 9 }).map((limbs) =>
      BigInt.asUintN(
        256,
        limbs.reduce((sum, each) => (sum << 29n) | each, 0n),
      ),
    );
    const ofLength = fc
      .tuple(word, fc.integer({ min: 0, max: 255 }))
      .map(([w, bit]) => BigInt.asUintN(bit + 1, w) | (1n << BigInt(bit)));
    const any = fc.oneof(word, ofLimbs, ofLength);
    const three = fc.tuple(any, any, any);
    const COUNT = 40;
    const sameOf = (codeOf: (words: readonly [bigint, bigint, bigint]) => string) =>
      fc.assert(
        fc.property(fc.array(three, { minLength: COUNT, maxLength: COUNT }), (all) => {
          both(`${all.map(codeOf).join('')}${'18'.repeat(COUNT - 1)}${RETURN_TOP}`);
        }),
        { numRuns: 150 },
      );

    it('multiplies alike modulo them', () =>
      sameOf(([m, x, y]) => `${push(m)}${push(x)}${push(y)}09`));

    it.each(['04', '05', '06', '07'])('divides alike near their multiples, with %s', (opcode) =>
      sameOf(([b, q, off]) => {
        const a = BigInt.asUintN(256, b * q + (off % 5n) - 2n);
        return `${push(b)}${push(a)}${opcode}`;
      }),
    );
  });

  it('reads what calls have returned, whatever its length', () => {
    const lengths = [1, 5000, 32, 4096, 4097, 33, 4095, 20_000, 1024];
    // Without input it calls itself for each length, and combines the hashes of what is returned.
    const read = (n: number) => `${word16(n)}5f525f5f60205f305afa503d5f5f3e3d5f20`;
    const outer = `${lengths.map(read).join('')}${'18'.repeat(lengths.length - 1)}5f5260205ff3`;
    const start = (5 + outer.length / 2).toString(16).padStart(4, '0');
    const inner = '60ab5f3560019003535f355ff3';
    const { output } = both(`3661${start}57${outer}5b${inner}`);
    const hashes = lengths.map((n) => {
      const returned = new Uint8Array(n);
      returned[n - 1] = 0xab;
      return BigInt(toHex(keccak256(returned)));
    });
    expect(BigInt(output)).toBe(hashes.reduce((all, hash) => all ^ hash));
  });

  it('logs alike: any topics and data, more than the loop collects, in static calls', () => {
    const write = `${push(2n ** 255n + 77n)}600052`;
    const log = (n: number, length: string, offset = '6003') =>
      `${Array.from({ length: n }, (_, i) => push(2n ** 250n + BigInt(i))).join('')}${length}${offset}a${n}`;
    for (const n of [0, 1, 2, 3, 4]) {
      expect(both(`${write}${log(n, '6021')}${log(n, '6000')}`).logs).toHaveLength(2);
    }
    expect(both(`${write}${log(1, '619000')}${log(2, '61100a').repeat(9)}`).logs).toHaveLength(10);
    expect(both(`${log(4, '6020').repeat(200)}`).logs).toHaveLength(200);
    for (let gas = 700n; gas < 1_200n; gas += 7n) both(log(1, '6021'), gas);
    // Without input it calls itself with STATICCALL and a byte of input, then it logs.
    const self = `73${'22'.repeat(20)}`;
    const code = `3660255760006000600160006000${self}5afa5b${log(0, '6001')}`;
    expect(both(code).logs).toHaveLength(1);
  });

  it('drops the logs of calls that revert, and keeps the order of those before and after', () => {
    const log = (topic: string) => `60${topic}60016000a1`;
    const self = `73${'22'.repeat(20)}`;
    // Called with input it logs, then reverts if the first byte is not 0.
    const inner = `${log('aa')}60003560f81c60PP576000600053${log('ab')}005b60006000fd`;
    const callSelf = (byte: string) => `60${byte}60005360006000600160006000${self}5af150`;
    const outer = [log('01'), callSelf('01'), log('02'), callSelf('00'), log('03'), '00'].join('');
    const start = (4 + outer.length / 2).toString(16);
    const head = `3660${start}57${outer}5b`;
    const at = (head + inner.slice(0, inner.indexOf('5b60006000fd'))).length / 2;
    const { kind, logs } = both(head + inner.replace('PP', at.toString(16)));
    expect(kind).toBe('success');
    expect(logs.map((entry) => entry.split(' ')[1]!.slice(-2))).toEqual([
      '01',
      '02',
      'aa',
      'ab',
      '03',
    ]);
  });

  it.each([
    ['the identity', '04'],
    ['SHA-256', '02'],
    ['RIPEMD-160', '03'],
  ])('calls %s alike, whatever its input and however much gas it gets', (_, address) => {
    const small = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(8_192, 8_193, 20_000));
    const range = fc.tuple(small, small, small, small, fc.integer({ min: 0, max: 150 }));
    fc.assert(
      fc.property(
        fc.array(range, { minLength: 2, maxLength: 5 }),
        fc.constantFrom(0n, 2n ** 160n, 2n ** 255n),
        fc.integer({ min: 400, max: 6_000 }),
        (ranges, above, gas) => {
          const target = push(above + BigInt(`0x${address}`));
          const first = `600060006000600060${address}612710fa`;
          const calls = ranges.map(([outLength, out, length, offset, handed]) =>
            [
              `${[outLength, out, length, offset].map(word16).join('')}${target}`,
              `${handed > 100 ? '5a' : word16(handed)}fa600052`,
              // The whole of what it returned, and its size.
              '3d60006108003e3d602052',
            ].join(''),
          );
          const code = `${push(2n ** 256n - 12_345n)}600752${first}${calls.join('')}6110006000f3`;
          both(code);
          both(code, BigInt(gas));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('copies what calls returned alike, to its last byte and beyond', () => {
    const size = fc.constantFrom(0, 1, 31, 32, 33, 1_024, 8_191, 8_192, 8_193);
    const copy = fc.tuple(fc.nat(200), fc.nat(200), fc.integer({ min: -40, max: 1 }));
    const step = fc.tuple(size, fc.boolean(), fc.array(copy, { minLength: 1, maxLength: 3 }));
    const hash = '600060006020600060025afa50'.repeat(2);
    // Called with a word of input, it returns as many bytes of its memory.
    const inner = `${hash}${push(2n ** 256n - 12_345n)}80600052611fe0526000356000f3`;
    const head = `3615${word16(6 + inner.length / 2)}57${inner}5b`;
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 3 }), (steps) => {
        const outer = steps.map(([bytes, isHashed, copies]) => {
          const length = isHashed ? 32 : bytes;
          const called = `${word16(bytes)}600052600060006020600073${'22'.repeat(20)}5afa50`;
          const copied = copies.map(([to, from, more]) =>
            [Math.max(0, length - from + more), from, to].map(word16).join(''),
          );
          return `${called}${isHashed ? hash : ''}${copied.map((words) => `${words}3e`).join('')}`;
        });
        both(`${head}${outer.join('')}6120006000f3`);
      }),
      { numRuns: 300 },
    );
  });

  it('runs out of gas at the same opcode', () => {
    const code = `5b${push(3n)}${push(7n)}02600052602060002050600056`;
    for (let gas = 0n; gas < 300n; gas++) both(code, gas);
  });

  it('fails alike where it lacks words, has too many, jumps wrongly, or asks for too much memory', () => {
    for (const code of [
      '01',
      '5b600160005b600056',
      '600256',
      '6003565b',
      `${push(2n ** 64n)}56`,
      `${push(2n ** 64n)}51`,
      `${push(2n ** 40n)}51`,
      `6001${push(2n ** 256n - 1n)}52`,
      `${push(2n ** 63n)}600020`,
      `${push(2n ** 256n - 1n)}600060003700`,
      '0c',
      'fe',
    ]) {
      both(code);
    }
  });

  it('keeps memories and inputs apart while deeper frames grow the linear memory', () => {
    const self = `73${'22'.repeat(20)}`;
    const code = [
      // Grows memory to half a megabyte; stores the input plus one at 0x20; calls itself with that.
      '620800005150',
      '600035600101602052',
      `60206040602060206000${self}`,
      '5af1',
      // Returns twice the result of that call plus its own input, which it reads after the call.
      '604051600202600035016020510160005260206000f3',
    ].join('');
    const { kind, output } = both(code, 25_000_000n);
    expect(kind).toBe('success');
    expect(BigInt(output)).toBeGreaterThan(2n ** 20n);
  });

  it('continues in TypeScript where stacks fill the room for them', () => {
    // Fills most of the stack, then calls itself: a few dozen levels take a megabyte.
    const fill = '6001'.repeat(900);
    const { kind } = both(`${fill}6000600060006000600073${'22'.repeat(20)}5af100`, 9_000_000n);
    expect(kind).toBe('success');
  });

  it('serves executions that pause in turns', () => {
    const code = '60005b600101806103e81160025760005260206000f3';
    const whole = both(code, 1_000_000n);
    const runs = [1, 2, 3].map((seed) => {
      const { message, environment } = call(code, { pace: gasPace(seed * 700) }, 1_000_000n);
      return executeInSlices(message, environment);
    });
    const ends = new Set<string>();
    const left = new Set(runs);
    while (left.size > 0) {
      for (const run of left) {
        const step = run.next();
        if (!step.done) continue;
        left.delete(run);
        ends.add(`${step.value.kind} ${step.value.gasLeft} ${toHex(step.value.output)}`);
      }
    }
    expect([...ends]).toEqual([`success ${whole.gasLeft} ${whole.output}`]);
  });
});
