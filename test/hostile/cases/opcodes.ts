/**
 * Every opcode and precompile at its most work per gas, each as a transaction of 900M gas from an
 * account of its own.
 */
import type { Case, Group } from '../case.ts';
import { creationOf, loop, opcodesOf, push3 } from '../code.ts';
import { create, honestUntil } from '../sending.ts';
import { ADDITION, blake, OPENING, PAIR, PRODUCT, power, SIGNATURE } from './inputs.ts';

const FULL = `7f${'ff'.repeat(32)}`;
const HALF = `6f${'fe'.repeat(16)}`;
const hexByte = (value: number): string => value.toString(16).padStart(2, '0');
const numbers = (count: number, first: number): number[] =>
  Array.from({ length: count }, (_, at) => first + at);

/** Each opcode with these operands, and without its result. */
const each = (opcodes: readonly number[], operands: string): string =>
  opcodes.map((opcode) => `${operands}${hexByte(opcode)}50`).join('');

/** Creates contracts whose init code is this, up to eight bytes. */
function creating(init: string): string {
  const bytes = init.length / 2;
  return loop(`60${hexByte(bytes)}60${hexByte(32 - bytes)}6000f050`.repeat(20), store(init));
}

/** MSTORE at 0. */
const store = (word: string): string => `${pushOf(word)}600052`;
const pushOf = (word: string): string => `${hexByte(0x5f + word.length / 2)}${word}`;

/**
 * By name: code that loops until its gas is used up. Opcode `5a` (GAS) gives another number each
 * time.
 */
const LOOPS: Record<string, string> = {
  JUMPDEST: loop('5b'.repeat(20_000)),
  JUMPI: '0x5b6001600057',
  'ADD, MUL, SUB, DIV and MOD': loop(each(numbers(4, 0x01).concat(0x06), HALF + FULL).repeat(20)),
  SIGNEXTEND: loop(each([0x0b], `${FULL}600f`).repeat(50)),
  'comparisons and bits': loop(
    (
      each(numbers(5, 0x10).concat(0x16, 0x17, 0x18), FULL + FULL) + each([0x15, 0x19], FULL)
    ).repeat(20),
  ),
  'BYTE and shifts': loop(each(numbers(4, 0x1a), `${FULL}601f`).repeat(30)),
  'what a contract knows of its call and block': loop(
    each(
      [0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, ...numbers(7, 0x41), 0x58, 0x59, 0x5a],
      '',
    ).repeat(20),
  ),
  CALLDATALOAD: loop(each([0x35], '5a').repeat(50)),
  'MLOAD, MSTORE and MSTORE8': loop('6000515060006000526000600053'.repeat(50)),
  'pushes of every length': loop(
    numbers(32, 1)
      .map((bytes) => `${hexByte(0x5f + bytes)}${'ff'.repeat(bytes)}50`)
      .join(''),
  ),
  'DUP and SWAP of every depth': loop(
    numbers(16, 0x80)
      .map((dup) => `${hexByte(dup)}50`)
      .join('') +
      numbers(16, 0x90)
        .map((swap) => hexByte(swap).repeat(2))
        .join(''),
    '6001'.repeat(17),
  ),
  EXP: loop(`${FULL}${FULL}0a50`.repeat(50)),
  'SDIV and SMOD': loop(`${FULL}${FULL}0550600719${FULL}0750`.repeat(50)),
  'MULMOD and ADDMOD': loop(`${`${FULL}`.repeat(3)}0950${`${FULL}`.repeat(3)}0850`.repeat(50)),
  'KECCAK256 of a byte': loop('600160002050'.repeat(50)),
  'KECCAK256 of 100 KB': loop(`${push3(100_000)}60002050`),
  'BALANCE of a new account each time': loop('5a3150'.repeat(50)),
  'EXTCODEHASH and EXTCODESIZE of a new account each time': loop('5a3f505a3b50'.repeat(50)),
  'EXTCODECOPY of 24 KB of nothing': loop(`${push3(24_000)}600060005a3c`),
  'SLOAD of a new slot each time': loop('5a5450'.repeat(50)),
  'SSTORE to a new slot each time': loop('5a5a55'.repeat(50)),
  BLOCKHASH: loop('60014303405060ff43034050'.repeat(50)),
  'CODECOPY of 20 KB over itself': loop(`${push3(20_000)}6000600039`.repeat(10)),
  'CALLDATACOPY of 20 KB of nothing': loop(`${push3(20_000)}6000600037`.repeat(10)),
  'MSTORE that grows memory': loop('5a5952'),
  'LOG0 to LOG3 of nothing': loop(
    numbers(4, 0)
      .map((n) => `${'5a'.repeat(n)}60006000a${n}`)
      .join('')
      .repeat(10),
  ),
  'LOG4 of 1 KB': loop('5a5a5a5a6104006000a4'.repeat(20)),
  'CREATE of nothing': loop('600060006000f050'.repeat(20)),
  // It creates a contract that creates itself again, 1,024 deep.
  'CREATE of itself': `0x386000600039${'3860006000f0'.repeat(2)}`,
  'CREATE2 of nothing': loop('5a600060006000f550'.repeat(20)),
  'CALL of a new account each time': loop('600060006000600060005a5af150'.repeat(20)),
  'CALLCODE of a new account each time': loop('600060006000600060005a5af250'.repeat(20)),
  'DELEGATECALL of a new account each time': loop('60006000600060005a5af450'.repeat(20)),
  'RETURNDATACOPY of a precompile': loop(`${'6000600061100060006004'}5afa50${'3d60006000'}3e`),
};

/** By name: init code of contracts that a loop creates. */
const CREATED: Record<string, string> = {
  'contracts that stop': '00',
  'contracts that return nothing': '60006000f3',
  'contracts that revert': '60006000fd',
  'contracts that destruct themselves': '5aff',
};

/** By name: address, and input. */
const PRECOMPILES: Record<string, readonly [address: number, input: string]> = {
  ecrecover: [1, SIGNATURE],
  'sha256 of 10 KB': [2, 'a5'.repeat(10_000)],
  'ripemd160 of 10 KB': [3, 'a5'.repeat(10_000)],
  'identity of 40 KB': [4, 'a5'.repeat(40_000)],
  'modexp of 32 bytes': [5, power(32, 32, true)],
  'modexp of 1 KB, even': [5, power(1024, 4, false)],
  'modexp of 1 KB, odd': [5, power(1024, 4, true)],
  'addition on BN254': [6, ADDITION],
  'multiplication on BN254': [7, PRODUCT],
  'one pairing on BN254': [8, PAIR],
  'no pairing on BN254': [8, ''],
  'blake2f of one round': [9, blake(1)],
  'blake2f of 10 million rounds': [9, blake(10_000_000)],
};

/** What Istanbul does not have yet. */
const NEWEST_LOOPS: Record<string, string> = {
  'BASEFEE and BLOBBASEFEE': loop(each([0x48, 0x4a], '').repeat(50)),
  BLOBHASH: loop(each([0x49], '5a').repeat(50)),
  PUSH0: loop('5f50'.repeat(200)),
  'TLOAD of a new slot each time': loop('5a5c50'.repeat(50)),
  'TSTORE to a new slot each time': loop('5a5a5d'.repeat(50)),
  'MCOPY of 20 KB over itself': loop(`${push3(20_000)}600060015e`.repeat(10)),
  'SLOAD of a new slot each time': loop('5a5450'.repeat(50)),
  'PREVRANDAO and hashes of blocks': loop('445060014303405060ff43034050'.repeat(50)),
};

const NEWEST_PRECOMPILES: Record<string, readonly [address: number, input: string]> = {
  'modexp of 1 KB, odd': [5, power(1024, 4, true)],
  'one pairing on BN254': [8, PAIR],
  'the evaluation of a point on BLS12-381': [10, OPENING],
};

const SECONDS = 6;
/**
 * A transaction of just under half a round may cost its block a round, and then no other for 32
 * blocks and more (docs/consensus.md): in most cases a block a second is made.
 */
const BOUNDS = { blockShare: 1 / SECONDS, gapSeconds: 5 };

const coversOf = (code: string): string[] =>
  opcodesOf(code).map((opcode) => `opcode 0x${hexByte(opcode)}`);

function spending(group: Group, name: string, code: string, covers: readonly string[]): Case {
  return {
    name: `900M gas of ${name}`,
    group,
    covers,
    seconds: SECONDS,
    bounds: BOUNDS,
    async attack(network, isOver) {
      await create(network.nodes[0]!, code);
      return `honest transfers within ${await honestUntil(network, isOver)} blocks`;
    },
  };
}

const looping = (group: Group, loops: typeof LOOPS): Case[] =>
  Object.entries(loops).map(([name, code]) => spending(group, name, code, coversOf(code)));

const calling = (group: Group, precompiles: typeof PRECOMPILES): Case[] =>
  Object.entries(precompiles).map(([name, [address, input]]) =>
    spending(group, name, creationOf(address, input), [`precompile ${address}`]),
  );

export const OPCODE_CASES: readonly Case[] = [
  ...looping('transactions', LOOPS),
  ...Object.entries(CREATED).map(([name, init]) =>
    spending('transactions', `CREATE of ${name}`, creating(init), coversOf(`0x${init}`)),
  ),
  ...calling('transactions', PRECOMPILES),
];

/** For a network whose chain has all forks. */
export const NEWEST_FORK_CASES: readonly Case[] = [
  ...looping('newest fork', NEWEST_LOOPS),
  ...calling('newest fork', NEWEST_PRECOMPILES),
];
