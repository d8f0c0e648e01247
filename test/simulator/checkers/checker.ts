/** The events that checkers receive. A checker throws to fail the run. */
import type { Hash32 } from '../../../src/core/base/bytes.ts';
import type { Block } from '../../../src/core/chain/block.ts';
import type { ConsensusSigner } from '../../../src/core/consensus/bft/interface.ts';
import type { HeaderContext } from '../../../src/core/consensus/check-seals.ts';

export interface Checker {
  /** An honest node accepts this sealed block as final. */
  onCommit?(node: number, block: Block, context: HeaderContext, signer: ConsensusSigner): void;
  /** An honest node sends a message. */
  onSend?(node: number, code: number, bytes: Uint8Array): void;
  /** An honest node blames another. */
  onBlame?(node: number, blamed: { index: number; isHonest: boolean }, fault: string): void;
}

export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
}

export function short(hash: Hash32): string {
  return Array.from(hash.subarray(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
