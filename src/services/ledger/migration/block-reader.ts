/**
 * Reads blocks of the source one after the other, checks each against its header, and encodes it as
 * it is stored. Runs in a thread of its own (block-reader-worker.ts), so that one core reads the
 * next blocks while the other writes.
 */
import { hasCode } from '../../../core/base/errors.ts';
import type { ChainConfig } from '../../../core/chain/chain-config.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { ChainDatabase } from '../../../io/geth/chain-database.ts';
import { BatchWriter, type BlockBatch } from './block-batch.ts';
import { privateRootsAfter } from './copy-states.ts';
import { takenBlock } from './taken-block.ts';

export interface BlockReaderSettings {
  readonly config: ChainConfig;
  /** Names of the private states that are known before the first block. */
  readonly psis: readonly Psi[];
  /** Numbers of the first and of the last block. */
  readonly from: number;
  readonly upTo: number;
}

export class BlockReader {
  private readonly database: ChainDatabase;
  private readonly settings: BlockReaderSettings;
  private readonly psis: Set<Psi>;
  private number: number;
  private failure: unknown;

  constructor(database: ChainDatabase, settings: BlockReaderSettings) {
    this.database = database;
    this.settings = settings;
    this.psis = new Set(settings.psis);
    this.number = settings.from;
  }

  /**
   * Undefined: all blocks were read. Throws GETH_DATA_DAMAGED, after the blocks before the damage.
   */
  next(): BlockBatch | undefined {
    const batch = new BatchWriter();
    while (this.hasNext && !batch.isFull) {
      try {
        this.read(batch);
      } catch (error) {
        this.failure = error;
      }
    }
    if (!batch.isEmpty) return batch.finish();
    if (this.failure !== undefined) throw this.failure;
    return undefined;
  }

  private get hasNext(): boolean {
    return this.failure === undefined && this.number <= this.settings.upTo;
  }

  private read(batch: BatchWriter): void {
    const { number, psis, database } = this;
    const { config } = this.settings;
    const { isMps } = config;
    const next = guarded(database, number, () =>
      takenBlock(
        database.stored(number),
        config,
        // A name that is missing here appears in a later block, or is found when the states are
        // copied.
        (root, names) => privateRootsAfter({ database, isMps, psis: names }, root, true),
        [...psis],
      ),
    );
    for (const psi of next.spaces?.keys() ?? []) psis.add(psi);
    batch.add(next);
    this.number++;
  }
}

/** Unreadable data count as damage, regardless of where they are found. */
function guarded<T>(database: ChainDatabase, number: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'GETH_DATA_DAMAGED')) throw error;
    const { message } = error as Error;
    throw database.stateDamaged(`has block ${number} damaged (${message})`, error);
  }
}
