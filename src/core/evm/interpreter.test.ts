import { describe, expect, it } from 'vitest';
import {
  CONTRACT,
  ETHER,
  environmentOf,
  runCode,
  SENDER,
  worldOf,
} from '../../../test/support/evm.ts';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { fromHex, toHex } from '../base/hex.ts';
import type { Verdict } from '../base/pace.ts';
import { bytesToBigInt, MAX_UINT64 } from '../base/quantity.ts';
import { type Environment, execute } from './interpreter.ts';
import { CallTracer } from './tracers/call.ts';

const BERLIN = rulesOfFork('berlin');
const SELF = '22'.repeat(20);

function precompile(last: number): Uint8Array {
  const address = new Uint8Array(20);
  address[19] = last;
  return address;
}

function run(code: string, extra: Partial<Environment> = {}) {
  return runCode(fromHex(`0x${code}`), BERLIN, {}, extra);
}

describe('texts of failures', () => {
  it.each([
    ['fe', 'invalid opcode: opcode 0xfe not defined'],
    ['0c', 'invalid opcode: opcode 0xc not defined'],
    ['b1', 'invalid opcode: DUP'],
    ['01', 'stack underflow (0 <=> 2)'],
    ['6001600056', 'invalid jump destination'],
    ['5b600056', 'out of gas'],
    ['60006000fd', 'execution reverted'],
    ['600160006000fa', 'stack underflow (3 <=> 6)'],
    ['60016000803e', 'return data out of bounds'],
    ['6000198052', 'gas uint64 overflow'],
  ])('%s ends with "%s"', (code, text) => {
    expect(run(code).result.error).toBe(text);
  });

  it('a static frame and a read-only world refuse writes, each in its own words', () => {
    const code = fromHex('0x6001600055');
    expect(runCode(code, BERLIN, { isStatic: true }).result.error).toBe('write protection');
    const world = worldOf([{ address: CONTRACT, balance: 0n, code }]);
    Object.defineProperty(world, 'isReadOnly', { value: true });
    const message = {
      caller: SENDER,
      to: CONTRACT,
      value: 0n,
      data: new Uint8Array(0),
      gas: 50_000n,
    };
    const { error, gasLeft } = execute(message, environmentOf(world, BERLIN));
    expect(error).toBe('VM in read-only mode. Mutating opcode prohibited');
    expect(gasLeft).toBe(0n);
  });

  it('insufficient balance leaves the gas and the world alone', () => {
    const { result, world } = runCode(fromHex('0x00'), BERLIN, { value: ETHER * 2n });
    expect(result).toMatchObject({
      kind: 'error',
      error: 'insufficient balance for transfer',
      gasLeft: 1_000_000n,
    });
    expect(world.balance(CONTRACT)).toBe(0n);
  });
});

describe('depth', () => {
  it('1,024 levels of calls below the first are made, without recursion', () => {
    // Calls itself with all its gas as often as it can.
    const code = `6000600060006000600073${SELF}5af1`;
    let deepest = 0;
    const tracer = {
      onEnter: ({ depth }: { depth: number }) => {
        deepest = Math.max(deepest, depth);
      },
    };
    const world = worldOf([{ address: CONTRACT, balance: 0n, code: fromHex(`0x${code}`) }]);
    const gas = MAX_UINT64;
    const message = { caller: SENDER, to: CONTRACT, value: 0n, data: new Uint8Array(0), gas };
    const { kind } = execute(message, environmentOf(world, BERLIN, { tracer }));
    expect(kind).toBe('success');
    expect(deepest).toBe(1025);
  });
});

describe('the pace', () => {
  const LOOP = fromHex('0x5b600056');

  it('ends an endless loop and every frame above it', () => {
    let polls = 0;
    const pace = () => (++polls === 3 ? 'stop' : 'go') as Verdict;
    const { result } = runCode(LOOP, BERLIN, { gas: MAX_UINT64 }, { pace });
    expect(result).toMatchObject({ kind: 'error', error: 'execution aborted' });
    expect(polls).toBe(3);
  });

  it('interrupts code, calls and precompiles anywhere, and nothing is different after it', () => {
    // 300 rounds: each hashes a word and calls the contract itself without input, which hashes
    // 8 kB. In the end the word is returned.
    const code = fromHex(
      '0x361560' +
        '2c5761012c5b602060002060005260006000600060006000305af150600190038060085760206000f3' +
        '5b6120006000205000',
    );
    const message = { data: Uint8Array.of(1), gas: 9_000_000n };
    const plain = runCode(code, BERLIN, message);
    let pauses = 0;
    const pace = () => {
      pauses++;
      return 'pause' as const;
    };
    const interrupted = runCode(code, BERLIN, message, { pace });
    expect(plain.result.output.length).toBe(32);
    expect(interrupted.result).toEqual(plain.result);
    expect(pauses).toBeGreaterThan(50);
  });

  it('is asked before a costly precompile and between its pieces, with what was spent', () => {
    const told: number[] = [];
    const pace = (gas: number) => {
      told.push(gas);
      return 'pause' as const;
    };
    // Twelve pairs of zeros, four per slice: 45,000 gas, and 34,000 for each pair.
    const [message, extra] = [{ to: precompile(8), data: new Uint8Array(12 * 192) }, { pace }];
    const { result } = runCode(LOOP, BERLIN, message, extra);
    expect(result).toMatchObject({ kind: 'success', gasLeft: 1_000_000n - 453_000n });
    expect(told.length).toBe(3);
  });

  it('is asked about as often however much an opcode does', () => {
    const pollsOf = (code: string, gas: bigint) => {
      let polls = 0;
      const pace = () => {
        polls++;
        return 'go' as const;
      };
      const { result } = runCode(fromHex(code), BERLIN, { gas }, { pace });
      expect(result.error).toBe('out of gas');
      return polls;
    };
    // Loops, each over one operation: a hash of 64 kB, a product on BN254, a power with an exponent
    // of 32 bytes, reading two balances of which the loop keeps only one, a jump.
    expect(pollsOf('0x5b620100006000205060005600', 5_000_000n)).toBeGreaterThan(350);
    expect(pollsOf('0x5b604060006060600060006007' + '5af15060005600', 5_000_000n)).toBeGreaterThan(
      40,
    );
    expect(pollsOf(`0x5b7f${'ff'.repeat(32)}60030a5060005600`, 5_000_000n)).toBeGreaterThan(150);
    expect(pollsOf('0x5b600131506021315060005600', 5_000_000n)).toBeGreaterThan(250);
    expect(pollsOf('0x5b600056', 5_000_000n)).toBeGreaterThan(250);
  });
});

describe('what the environment is told', () => {
  it('onRun hears of called and created code, not of precompiles', () => {
    // A static call of the identity precompile, then a creation without code.
    const heard: string[] = [];
    const { result } = run('600060006000600060045afa50600060006000f0', {
      onRun: (address, isCreate) => heard.push(`${toHex(address)} ${isCreate}`),
    });
    expect(result.kind).toBe('success');
    expect(heard.length).toBe(2);
    expect(heard[0]).toBe(`0x${SELF} false`);
    expect(heard[1]!.endsWith(' true')).toBe(true);
  });

  it('a tracer sees the same gas as a run without one', () => {
    const code = fromHex(`0x6001600055600060006000600073${'33'.repeat(20)}5afa50600054600052`);
    const plain = runCode(code, BERLIN).result;
    const tracer = new CallTracer({ withLog: true });
    const traced = runCode(code, BERLIN, {}, { tracer }).result;
    expect(traced).toEqual(plain);
    expect(tracer.result(1_000_000, 1)?.calls?.length).toBe(1);
  });
});

describe('the privacy precompile', () => {
  it('is an empty, free call for contracts, and makes no account', () => {
    const code = fromHex('0x60006000600060006000607a5af1');
    const rules = rulesOfFork('istanbul', { isQuorum: true, isPrivacyPrecompile: true });
    const { result, world } = runCode(code, rules);
    expect(result.kind).toBe('success');
    expect(world.exists(precompile(0x7a))).toBe(false);
  });
});

describe('gas beyond 53 bits', () => {
  it('is counted exactly by GAS, across calls and in the result', () => {
    // Stores GAS in memory; then, if there is no input, calls itself with all gas and stores the
    // result as the second word.
    const code = fromHex('0x5a6000523660155760206020600160006000305af15b60406000f3');
    const gas = 2n ** 63n - 1n;
    const { result } = runCode(code, BERLIN, { gas });
    const outer = bytesToBigInt(result.output.subarray(0, 32));
    const inner = bytesToBigInt(result.output.subarray(32));
    expect(outer).toBe(gas - 2n);
    // PUSH1 and MSTORE with one word of memory; CALLDATASIZE, PUSH1, JUMPI; five pushes, ADDRESS,
    // GAS; a cold CALL with one more word of memory.
    const left = outer - 9n - 15n - 19n - 2_603n;
    expect(inner).toBe(left - left / 64n - 2n);
    // What each of the two frames spent after it had read the gas.
    const innerCost = 2n + 9n + 15n + 7n + 3n;
    expect(result.gasLeft).toBe(left - innerCost - 7n);
  });

  it('refills the plain part, and ends with the last unit', () => {
    const { result } = runCode(fromHex('0x5a60005260206000f3'), BERLIN, { gas: 2n ** 51n + 1n });
    expect(bytesToBigInt(result.output)).toBe(2n ** 51n - 1n);
    expect(result.gasLeft).toBe(2n ** 51n - 16n);
  });

  it('pays for a precompile that costs more than a unit', () => {
    // MODEXP with a base of 2^30 bytes and no modulus costs (2^27)^2 / 3 gas, without any work.
    const price = 2n ** 54n / 3n;
    const to = precompile(5);
    const data = new Uint8Array(96);
    data[28] = 0x40;
    expect(runCode(data, BERLIN, { to, data, gas: price + 5n }).result.gasLeft).toBe(5n);
    expect(runCode(data, BERLIN, { to, data, gas: price - 1n }).result.error).toBe('out of gas');
  });
});
