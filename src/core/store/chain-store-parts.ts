/** Parts of the chain store, and its options. */
import type { QuorateError } from '../base/errors.ts';
import type { Clock, Kv, LogFolder } from '../base/ports.ts';
import type { TransactionDialect } from '../chain/transaction.ts';
import type { Psi } from '../privacy/inputs.ts';
import type { CacheBounds } from './cached-blocks.ts';
import type { Seals } from './seals.ts';
import type { TrieMemory } from './spaces.ts';

export interface ChainStoreParts {
  readonly log: LogFolder;
  readonly kv: Kv;
  readonly clock: Clock;
  readonly dialect?: TransactionDialect;
  readonly segmentBytesMax?: number;
  /** A checkpoint begins after this many bytes of log, or after this time. */
  readonly checkpointBytes?: number;
  readonly checkpointMs?: number;
  /** False: a checkpoint need not let others work every 2 ms, because nobody waits for answers. */
  readonly hasClients?: boolean;
  /** Sequence numbers of other files, which every checkpoint records. */
  readonly seals?: Seals;
  readonly trieMemory?: TrieMemory;
  /** A background checkpoint failed: the process must end. */
  readonly onFault?: (error: unknown) => void;
  /** A required row of the index is missing; the read throws. */
  readonly onDamage?: (error: QuorateError) => void;
  /** States of so many newest blocks are kept, older ones pruned; undefined: all are kept. */
  readonly keptStates?: number | undefined;
  /** Log that a checkpoint may read again for the rows that it prunes, besides what it adds. */
  readonly prunedBytes?: number | undefined;
  /** Called before the first state is pruned, unless the index says that some were before. */
  readonly beforePruning?: () => void;
  /** Called before one private state, or the chain, is rewound to block `to`. */
  readonly beforeRewind?: (target: Psi | 'all', to: number) => Promise<void>;
  /** While opening: progress of reading the log after the checkpoint. */
  readonly onReplay?: (bytes: number, ofBytes: number) => void;
}

/** The parts that reading needs. */
export interface StoredChainParts {
  readonly log: LogFolder;
  readonly kv: Kv;
  readonly dialect?: TransactionDialect | undefined;
  readonly segmentBytesMax?: number | undefined;
  readonly trieMemory?: TrieMemory | undefined;
  readonly cached?: CacheBounds | undefined;
  /** A required row is missing; the read throws. */
  readonly onDamage?: ((error: QuorateError) => void) | undefined;
}
