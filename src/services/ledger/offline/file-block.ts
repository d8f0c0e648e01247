/** Checks a block of a file like one from a peer, and appends it to the chain. */

import { equalBytes } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { type Block, decodeBlock } from '../../../core/chain/block.ts';
import type { Durability } from '../../../core/store/interface.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import type { Chain } from '../node/chain/chain.ts';
import type { HeaderVerifier } from '../node/consensus/header-verifier.ts';
import type { PayloadCache } from '../node/private-state/payload-cache.ts';

export interface FileBlockParts {
  readonly chain: Chain;
  readonly verifier: Pick<HeaderVerifier, 'verify' | 'sealFault'>;
  readonly payloads: Pick<PayloadCache, 'prefetch'> | undefined;
}

/** `last`: number of the previous block. Throws BLOCK_FILE_INVALID. */
export function decodeFileBlock(
  file: string,
  bytes: Uint8Array,
  last: number,
  dialect: 'quorum' | 'ethereum',
): Block {
  try {
    return decodeBlock(bytes.slice(), dialect);
  } catch (cause) {
    throw fail(
      'BLOCK_FILE_INVALID',
      `${file}: what follows block ${last} is not a block: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

/**
 * Resolves with false if the chain already has the block. Throws BLOCK_INVALID, which names file,
 * block and fault.
 */
export async function commitFileBlock(
  { chain, verifier, payloads }: FileBlockParts,
  file: string,
  block: Block,
  durability: Durability,
): Promise<boolean> {
  const { number } = block.header;
  if (number <= chain.head().number) {
    const stored = chain.store.hashOf(number)!;
    if (equalBytes(stored, block.hash)) return false;
    throw invalid(file, block, `this chain has block 0x${bareHex(stored)} there`);
  }
  const fault = await verifier.verify([{ header: block.header, hash: block.hash }]);
  const text = fault?.text ?? verifier.sealFault(block.header);
  if (text !== undefined) throw invalid(file, block, text);
  await payloads?.prefetch(block.transactions, chain.rulesOf(block.header));
  try {
    return await chain.commit(block, durability);
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'BLOCK_INVALID') throw cause;
    throw fail('BLOCK_INVALID', `${file}: ${reasonOf(cause)}`, { cause });
  }
}

function invalid(file: string, { header, hash }: Block, fault: string) {
  return fail(
    'BLOCK_INVALID',
    `${file}: block ${header.number} (0x${bareHex(hash)}) is invalid: ${fault}`,
  );
}
