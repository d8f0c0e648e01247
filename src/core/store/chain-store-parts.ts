/** Parts of the chain store, and its options. */
import type { QuorateError } from '../base/errors.ts';
import type { Clock, Kv, LogFolder } from '../base/ports.ts';
import type { TransactionDialect } from '../chain/transaction.ts';
import type { Seals } from './seals.ts';

export interface ChainStoreParts {
  readonly log: LogFolder;
  readonly kv: Kv;
  readonly clock: Clock;
  readonly dialect?: TransactionDialect;
  readonly segmentBytesMax?: number;
  /** A checkpoint begins after this many bytes of log, or after this time. */
  readonly checkpointBytes?: number;
  readonly checkpointMs?: number;
  /** Notes that every checkpoint writes. */
  readonly seals?: Seals;
  /**
   * Trie nodes per space that the index also holds, before all but the top ones are dropped; 0:
   * none are kept.
   */
  readonly trieBytesMax?: number;
  /** A background checkpoint failed: the process must end. */
  readonly onFault?: (error: unknown) => void;
  /** A required row of the index is missing; the read throws. */
  readonly onDamage?: (error: QuorateError) => void;
  /** While opening: progress through the log after the checkpoint. */
  readonly onReplay?: (bytes: number, ofBytes: number) => void;
}

/** What reading alone stands on. */
export interface StoredChainParts {
  readonly log: LogFolder;
  readonly kv: Kv;
  readonly dialect?: TransactionDialect | undefined;
  readonly segmentBytesMax?: number | undefined;
  /**
   * Of each space's trie nodes that the index holds too, before all but the top of them are let go;
   * 0: none are kept.
   */
  readonly trieBytesMax?: number | undefined;
  /** Decoded transactions that are kept of blocks, and receipts. */
  readonly cachedTransactionsMax?: number | undefined;
  /** Of a row that must be there and is not; the read throws. */
  readonly onDamage?: ((error: QuorateError) => void) | undefined;
}
