/**
 * Whether a validator may have voted more than it remembers. Such a validator abstains until it
 * has seen a height decided (docs/consensus.md, "The vote file").
 */
import { equalBytes } from '../../base/bytes.ts';
import type { Header } from '../../chain/header.ts';
import type { BftEngine } from '../../chain/rules.ts';
import { committersOf } from '../check-seals.ts';
import type { ConsensusSigner, VoteMemory } from './interface.ts';
import { encodeMemory } from './memory.ts';

/**
 * `empty`, `damaged`, `old`: the state of the vote file. `behind`: the head has a seal of this
 * validator that it does not remember, so the vote file is an older copy, or was recreated.
 */
export type MemoryLoss = 'empty' | 'damaged' | 'old' | 'behind';

export interface Remembering {
  /** The state of a vote file whose last vote cannot be read. */
  readonly loss: Exclude<MemoryLoss, 'behind'> | undefined;
  readonly memory: VoteMemory | undefined;
}

/** Blocks searched for our own seals when a node starts; each holds only the seals of a quorum. */
export const BLOCKS_LOOKED_THROUGH = 16;

/**
 * Undefined: all votes are known. `latest`: the head and some blocks before it. A file made at
 * block 0 holds no vote.
 */
export function memoryLoss(
  { loss, memory }: Remembering,
  latest: readonly { readonly header: Header; readonly engine: BftEngine }[],
  { address, recover }: Pick<ConsensusSigner, 'address' | 'recover'>,
): MemoryLoss | undefined {
  const sealed = latest.filter(({ header }) => header.number > 0);
  if (sealed.length === 0) return loss === 'empty' ? undefined : loss;
  if (loss !== undefined) return loss;
  if (memory === undefined) return 'empty';
  const isForgotten = sealed.some(
    ({ header, engine }) =>
      header.number > memory.height &&
      committersOf(header, engine, recover).some(
        (by) => by !== undefined && equalBytes(by, address),
      ),
  );
  return isForgotten ? 'behind' : undefined;
}

/** The memory of a validator that has not voted at `height` or above. */
export function memoryFrom(height: number): VoteMemory {
  return encodeMemory({ view: { height, round: 0 }, digest: undefined, lock: undefined });
}
