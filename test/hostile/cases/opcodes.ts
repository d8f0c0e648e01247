/**
 * The opcodes and precompiles that cost the most work per gas, each as a transaction of 900M gas
 * from an account of its own.
 */
import type { Case } from '../case.ts';
import { creationOf, loop, push3 } from '../code.ts';
import { create, honestUntil } from '../sending.ts';
import { ADDITION, blake, PAIR, PRODUCT, power, SIGNATURE } from './inputs.ts';

const FULL = `7f${'ff'.repeat(32)}`;

/**
 * By name: code that loops until its gas is used up. Opcode `5a` (GAS) gives another number each
 * time.
 */
const LOOPS: Record<string, string> = {
  JUMPDEST: loop('5b'.repeat(20_000)),
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
  'MSTORE that grows memory': loop('5a5952'),
  'LOG4 of 1 KB': loop('5a5a5a5a6104006000a4'.repeat(20)),
  'CREATE of nothing': loop('600060006000f050'.repeat(20)),
  // It creates a contract that creates itself again, 1,024 deep.
  'CREATE of itself': `0x386000600039${'3860006000f0'.repeat(2)}`,
  'CALL of a new account each time': loop('600060006000600060005a5af150'.repeat(20)),
  'RETURNDATACOPY of a precompile': loop(`${'6000600061100060006004'}5afa50${'3d60006000'}3e`),
  ecrecover: creationOf(1, SIGNATURE),
  'sha256 of 10 KB': creationOf(2, 'a5'.repeat(10_000)),
  'ripemd160 of 10 KB': creationOf(3, 'a5'.repeat(10_000)),
  'identity of 40 KB': creationOf(4, 'a5'.repeat(40_000)),
  'modexp of 32 bytes': creationOf(5, power(32, 32, true)),
  'modexp of 1 KB, even': creationOf(5, power(1024, 4, false)),
  'modexp of 1 KB, odd': creationOf(5, power(1024, 4, true)),
  'addition on BN254': creationOf(6, ADDITION),
  'multiplication on BN254': creationOf(7, PRODUCT),
  'one pairing on BN254': creationOf(8, PAIR),
  'no pairing on BN254': creationOf(8, ''),
  'blake2f of one round': creationOf(9, blake(1)),
  'blake2f of 10 million rounds': creationOf(9, blake(10_000_000)),
};

export const OPCODE_CASES: readonly Case[] = Object.entries(LOOPS).map(([name, code]) => ({
  name: `900M gas of ${name}`,
  group: 'transactions',
  async attack(network, isOver) {
    await create(network.nodes[0]!, code);
    return `honest transfers within ${await honestUntil(network, isOver)} blocks`;
  },
}));
