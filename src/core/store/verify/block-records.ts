/**
 * Checks that the records of the block log form a chain: checksums, order, and the roots in each
 * header.
 */
import { equalBytes, type Hash32 } from '../../base/bytes.ts';
import type { LogFolder } from '../../base/ports.ts';
import { type Block, transactionsRoot } from '../../chain/block.ts';
import { receiptsRoot } from '../../chain/receipt.ts';
import type { TransactionDialect } from '../../chain/transaction.ts';
import { decodeBaseRecord, decodeStatePart, type StatePart } from '../base-records.ts';
import { comparePositions, endOf, type LogPosition, RECORD_KIND } from '../log-record.ts';
import {
  decodeBlockOf,
  decodePrivateRecord,
  decodeReceiptsOf,
  decodeReplayedBlock,
  decodeRewindRecord,
  type PrivateBlockRecord,
  type ReplayedBlock,
} from '../record-bodies.ts';
import { CURE, type Teller } from './finding.ts';
import { blockFile, walkLog } from './log-walk.ts';

/** How many hashes of the last blocks are kept, for a chain that was rewound and continued. */
const HASHES_KEPT = 1_000;

export interface RecordVisitor {
  block(block: ReplayedBlock, position: LogPosition): void;
  private(record: PrivateBlockRecord, position: LogPosition): void;
  /** A part of the state of a chain that was copied without executing it. */
  state(part: StatePart): void;
}

export interface LogSummary {
  readonly head: number;
  readonly records: number;
  readonly bytes: number;
  /** End of the last whole record. */
  readonly end: LogPosition;
  readonly isWhole: boolean;
}

export interface BlockRecordsParts {
  readonly folder: LogFolder;
  readonly dialect: TransactionDialect;
  /** Log position of the index: records before it were complete, so a torn one there is damage. */
  readonly checkpoint: LogPosition | undefined;
  readonly teller: Teller;
  /** Called for each good record. */
  readonly visitor?: RecordVisitor | undefined;
}

export function verifyBlockRecords(parts: BlockRecordsParts): LogSummary {
  return new BlockRecords(parts).run();
}

class BlockRecords {
  private readonly parts: BlockRecordsParts;
  private readonly hashes = new Map<number, Hash32>();
  private head = -1;
  private records = 0;
  private bytes = 0;
  private end: LogPosition = { segment: 0, offset: 0 };
  private isWhole = true;

  constructor(parts: BlockRecordsParts) {
    this.parts = parts;
  }

  run(): LogSummary {
    const { folder, teller } = this.parts;
    const total = totalBytes(folder);
    for (const step of walkLog(folder)) {
      if (step.kind === 'missing')
        this.damaged({ segment: step.segment, offset: 0 }, 'the file is missing');
      else if (step.kind === 'gap') this.gap(step.position, step.to);
      else {
        const { record, position } = step;
        this.end = endOf({ ...record, position });
        this.records++;
        this.bytes += this.end.offset - position.offset;
        this.record(record.kind, record.body, position);
        teller.progress('blocks', this.bytes, total);
      }
    }
    const { checkpoint } = this.parts;
    if (checkpoint && comparePositions(this.end, checkpoint) < 0) {
      this.damaged(
        this.end,
        `the log ends before byte ${checkpoint.offset} of ${blockFile(checkpoint.segment)}, up to which the index was written`,
      );
    }
    const { head, records, bytes, end, isWhole } = this;
    return { head, records, bytes, end, isWhole };
  }

  private gap(position: LogPosition, to: number | undefined): void {
    const { folder, checkpoint, teller } = this.parts;
    const isLast = folder.segments().at(-1) === position.segment;
    const isBehind = !checkpoint || comparePositions(position, checkpoint) >= 0;
    if (to === undefined && isLast && isBehind) {
      teller.found({
        ...this.place(position),
        what: 'the last record is torn, as a crash leaves it: it was never acknowledged',
        cure: CURE.none,
        isNote: true,
      });
      return;
    }
    this.damaged(
      position,
      to === undefined
        ? 'no good record begins here or later in this file'
        : `no good record begins here; the next one is at byte ${to}`,
    );
  }

  private record(kind: number, body: Uint8Array, position: LogPosition): void {
    try {
      if (kind === RECORD_KIND.block) this.block(body, position);
      else if (kind === RECORD_KIND.private) this.private(body, position);
      else if (kind === RECORD_KIND.base) decodeBaseRecord(body);
      else if (kind === RECORD_KIND.state) this.parts.visitor?.state(decodeStatePart(body));
      else this.rewind(body);
    } catch (error) {
      this.damaged(
        position,
        `its checksum is right, but its content cannot be read (${(error as Error).message})`,
      );
    }
  }

  private block(body: Uint8Array, position: LogPosition): void {
    const { dialect, visitor } = this.parts;
    const replayed = decodeReplayedBlock(body, dialect);
    const { header, hash } = replayed.block;
    const parent = this.hashes.get(header.number - 1);
    const isNext = header.number === this.head + 1;
    const isLinked = parent === undefined || equalBytes(parent, header.parentHash);
    // After a gap the order is unknown.
    if ((!isNext || !isLinked) && this.isWhole) {
      this.damaged(position, `block ${header.number} does not follow block ${this.head}`);
    }
    const fault = contentFault(decodeBlockOf(body, dialect), body);
    if (fault !== undefined) this.damaged(position, `block ${header.number}: ${fault}`);
    this.head = header.number;
    this.hashes.set(header.number, hash);
    this.hashes.delete(header.number - HASHES_KEPT);
    visitor?.block(replayed, position);
  }

  private private(body: Uint8Array, position: LogPosition): void {
    const record = decodePrivateRecord(body);
    if (record.number > this.head) {
      this.damaged(position, `private state of block ${record.number}, which is not in the log`);
    }
    this.parts.visitor?.private(record, position);
  }

  private rewind(body: Uint8Array): void {
    const { psi, to } = decodeRewindRecord(body);
    if (psi !== undefined) return;
    for (let number = to + 1; number <= this.head; number++) this.hashes.delete(number);
    this.head = to;
  }

  private damaged(position: LogPosition, what: string): void {
    this.isWhole = false;
    this.parts.teller.found({ ...this.place(position), what, cure: CURE.log });
  }

  private place({ segment, offset }: LogPosition) {
    return { file: blockFile(segment), offset, ...(this.head >= 0 ? { height: this.head } : {}) };
  }
}

/** Undefined: transactions and receipts match the header. */
function contentFault({ header, transactions }: Block, body: Uint8Array): string | undefined {
  if (!equalBytes(transactionsRoot(transactions), header.transactionsRoot)) {
    return 'its transactions do not match its header';
  }
  const isOfReceipts = equalBytes(receiptsRoot(decodeReceiptsOf(body)), header.receiptsRoot);
  return isOfReceipts ? undefined : 'its receipts do not match its header';
}

function totalBytes(folder: LogFolder): number {
  let total = 0;
  for (const segment of folder.segments()) {
    const file = folder.open(segment);
    total += file.size();
    file.close();
  }
  return total;
}
