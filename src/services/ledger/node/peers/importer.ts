/** Executes and appends synced blocks in order; reports failures to the sync machine. */
import type { Hash32 } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import type { Clock, Log } from '../../../../core/base/ports.ts';
import { readList } from '../../../../core/base/rlp.ts';
import { type Block, blockOf } from '../../../../core/chain/block.ts';
import { decodeHeader } from '../../../../core/chain/header.ts';
import { decodeTransaction } from '../../../../core/chain/transaction.ts';
import type { SyncBlock } from '../../../../core/sync/sync-types.ts';
import { type Chain, isFatal } from '../chain/chain.ts';
import type { HeaderVerifier } from '../consensus/header-verifier.ts';

/** Minimum time between two lines of progress while catching up. */
const PROGRESS_INTERVAL_MS = 8_000;
/**
 * The last blocks of a batch are synced to disk one by one: near the head durability matters, far
 * behind it speed.
 */
const NEAR_HEAD_BLOCKS = 16;

export interface ImporterParts {
  readonly chain: Chain;
  readonly clock: Clock;
  readonly log: Log;
  readonly verifier: Pick<HeaderVerifier, 'sealFault' | 'forget'>;
  /** An internal failure after which this node must stop. */
  fatal(error: unknown): void;
}

/** The state machine of sync. */
export interface BlockSource {
  /** Number of the highest block that any peer is known to have. */
  highest(): number;
  failed(hash: Hash32, fault: string): void;
}

export class Importer {
  private readonly parts: ImporterParts;
  private readonly queue: SyncBlock[] = [];
  private isWorking = false;
  private progressMs = 0;

  constructor(parts: ImporterParts) {
    this.parts = parts;
  }

  /**
   * `source` is notified of a block that cannot be imported; blocks waiting after it are dropped.
   */
  import(blocks: readonly SyncBlock[], source: BlockSource): void {
    this.queue.push(...blocks);
    if (!this.isWorking) void this.work(source);
  }

  private async work(source: BlockSource): Promise<void> {
    this.isWorking = true;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      try {
        const isNear = source.highest() - next.header.number < NEAR_HEAD_BLOCKS;
        const block = blockOfSync(next);
        const fault = this.parts.verifier.sealFault(block.header);
        if (fault !== undefined) throw fail('BLOCK_INVALID', fault);
        const isNew = await this.parts.chain.commit(block, isNear ? 'now' : 'group');
        if (isNew) this.report(block, isNear ? undefined : source.highest());
      } catch (error) {
        this.queue.length = 0;
        if (isFatal(error)) {
          this.parts.fatal(error);
          continue;
        }
        this.parts.verifier.forget();
        source.failed(next.hash, (error as Error).message);
      }
    }
    this.isWorking = false;
  }

  /**
   * Logs every block near the head; far behind it, if `highest` is given, only an occasional line.
   */
  private report(block: Block, highest: number | undefined): void {
    const { clock, log } = this.parts;
    const { number, gasUsed } = block.header;
    const txs = block.transactions.length;
    const hash = bareHex(block.hash).slice(0, 12);
    if (highest === undefined) {
      log('info', 'Imported new chain segment', { number, hash, txs, gas: gasUsed });
      return;
    }
    const nowMs = clock.nowMs();
    if (nowMs - this.progressMs < PROGRESS_INTERVAL_MS) return;
    this.progressMs = nowMs;
    log('info', 'Imported new chain segment', { number, hash, highest, left: highest - number });
  }
}

/** A block from synced parts. Throws when the bytes are malformed. */
function blockOfSync({ raw, body }: Pick<SyncBlock, 'raw' | 'body'>): Block {
  const transactions = body.transactions.map((bytes) => decodeTransaction(bytes.slice()));
  const uncles = body.uncles.map((bytes) => decodeHeader(bytes));
  const header = decodeHeader(raw.slice());
  if (body.withdrawals === undefined) return blockOf(header, { transactions, uncles });
  readList(body.withdrawals).finish();
  return blockOf(header, { transactions, uncles, withdrawals: [] });
}
