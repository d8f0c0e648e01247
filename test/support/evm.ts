/** An EVM with an empty state, for tests. */
import type { Address } from '../../src/core/base/bytes.ts';
import type { Rules } from '../../src/core/chain/rules.ts';
import {
  type BlockContext,
  type CallResult,
  type Environment,
  execute,
  type Message,
} from '../../src/core/evm/interpreter.ts';
import { type AllocEntry, MemoryReader } from '../../src/core/state/memory-reader.ts';
import { PublicWorld } from '../../src/core/state/public-world.ts';

export const SENDER: Address = new Uint8Array(20).fill(0x11);
export const CONTRACT: Address = new Uint8Array(20).fill(0x22);
const COINBASE: Address = new Uint8Array(20).fill(0x33);
export const ETHER: bigint = 10n ** 18n;

export const TEST_BLOCK: BlockContext = {
  number: 1000,
  timestamp: 1_700_000_000n,
  coinbase: COINBASE,
  gasLimit: 30_000_000n,
  difficulty: 0x20000n,
  prevRandao: new Uint8Array(32).fill(0x44),
  baseFee: 7n,
  blobBaseFee: 1n,
};

export function worldOf(alloc: readonly AllocEntry[]): PublicWorld {
  return new PublicWorld(MemoryReader.fromAlloc(alloc).reader, TEST_BLOCK.number);
}

export function environmentOf(
  world: PublicWorld,
  rules: Rules,
  extra: Partial<Environment> = {},
): Environment {
  return {
    world,
    rules,
    block: TEST_BLOCK,
    blockHash: (number) => new Uint8Array(32).fill(number % 251),
    origin: SENDER,
    gasPrice: 10n,
    blobHashes: [],
    ...extra,
  };
}

/** Runs `code` as the contract at CONTRACT. */
export function runCode(
  code: Uint8Array,
  rules: Rules,
  message: Partial<Message> = {},
  extra: Partial<Environment> = {},
): { result: CallResult; world: PublicWorld } {
  const world = worldOf([
    { address: SENDER, balance: ETHER },
    { address: CONTRACT, balance: 0n, nonce: 1n, code },
  ]);
  const result = execute(
    {
      caller: SENDER,
      to: CONTRACT,
      value: 0n,
      data: new Uint8Array(0),
      gas: 1_000_000n,
      ...message,
    },
    environmentOf(world, rules, extra),
  );
  return { result, world };
}
