/** Writes block 0 into an empty store, or checks that the store's block 0 matches the file. */
import { equalBytes } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import { bytesToBigInt } from '../../../../core/base/quantity.ts';
import type { Block } from '../../../../core/chain/block.ts';
import { type Genesis, type GenesisAccount, genesisBlock } from '../../../../core/chain/genesis.ts';
import { type AllocEntry, writesOfAlloc } from '../../../../core/state/memory-reader.ts';
import { StateTrie } from '../../../../core/state/state-trie.ts';
import { EMPTY_WRITE_SET, type WriteSet } from '../../../../core/state/write-set.ts';
import type { ChainStore } from '../../../../core/store/chain-store.ts';

/** Block 0 of a genesis file, with its initial state. */
export function firstBlockOf(genesis: Genesis): { block: Block; writes: WriteSet } {
  const writes = writesOfAlloc(genesis.alloc.map(allocEntry));
  const trie = StateTrie.empty().update(writes);
  return { block: genesisBlock(genesis, () => trie.root()), writes };
}

/**
 * Resolves with block 0. `base`: the first block with states, if earlier states are not stored.
 * Throws GENESIS_MISMATCH when the store belongs to another chain.
 */
export async function ensureFirstBlock(
  store: ChainStore,
  genesis: Genesis,
  base?: number,
): Promise<Block> {
  const { block, writes } = firstBlockOf(genesis);
  const stored = store.hashOf(0);
  if (!stored) {
    if (base !== undefined && !store.base) await store.beginBase(base);
    const ownWrites = store.base ? EMPTY_WRITE_SET : writes;
    await store.append({ block, receipts: [], writes: ownWrites, hasPrivateWork: false });
  } else if (!equalBytes(stored, block.hash)) {
    throw fail(
      'GENESIS_MISMATCH',
      `database contains incompatible genesis (have ${bareHex(stored)}, new ${bareHex(block.hash)})`,
    );
  }
  return block;
}

function allocEntry({ address, balance, nonce, code, storage }: GenesisAccount): AllocEntry {
  const slots = storage.map(
    ([slot, value]) => [bytesToBigInt(slot), bytesToBigInt(value)] as const,
  );
  return { address, balance, nonce, code, storage: new Map(slots) };
}
