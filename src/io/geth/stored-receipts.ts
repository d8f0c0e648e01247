/**
 * Receipts as geth stores them: a list of receipts without the fields that can be derived from the
 * block, and, if GoQuorum has more data (several private states, privacy markers, revert reasons),
 * a second list after it (GoQuorum 24.4.1 core/types/receipt.go).
 */
import type { Hash32 } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { RlpReader } from '../../core/base/rlp.ts';
import type { Log } from '../../core/chain/receipt.ts';
import type { Psi } from '../../core/privacy/inputs.ts';

const EXTRA_VERSION = 1;

/** Most receipts have no others. */
const NO_OTHERS: ReadonlyMap<Psi, PrivateOutcome> = new Map();

/** The result of one execution in one state. */
export interface Outcome {
  readonly status: 0 | 1 | undefined;
  readonly postState?: Hash32;
  readonly cumulativeGasUsed: bigint;
  readonly logs: readonly Log[];
  readonly revertReason?: Uint8Array;
}

export interface PrivateOutcome extends Outcome {
  /**
   * Contract created by the inner transaction of a privacy marker; 20 zero bytes if it created
   * none.
   */
  readonly contractAddress: Uint8Array;
}

export interface StoredReceipt extends Outcome {
  /** Outcomes by private state: on a chain with several, and for privacy markers. */
  readonly private: ReadonlyMap<Psi, PrivateOutcome>;
}

/** Throws RLP_INVALID, RECEIPT_STATUS_INVALID, RECEIPT_VERSION_UNKNOWN. */
export function decodeStoredReceipts(bytes: Uint8Array): StoredReceipt[] {
  const reader = new RlpReader(bytes);
  const receipts = readAll(reader, readReceipt);
  if (reader.done) return receipts;
  const extras = readAll(reader, readExtra);
  reader.finish();
  return receipts.map((receipt, index) => ({ ...receipt, ...extras[index] }));
}

/** Receipts are lists of 3 items; older nodes wrote 4 (several private states), 6 or 7. */
function readReceipt(item: RlpReader): StoredReceipt {
  const outcome = readOutcome(item);
  const cumulativeGasUsed = item.bigint(8);
  // Lists of 6 items also have transaction and contract; lists of 7 also bloom.
  while (!item.isList) item.skip();
  const logs = readAll(item, readLog);
  // Lists of 6 and 7 items end with the gas.
  const hasOthers = !item.done && item.isList;
  if (!hasOthers) return { ...outcome, cumulativeGasUsed, logs, private: NO_OTHERS };
  const entries = readAll(item, (entry): [Psi, PrivateOutcome] => {
    const psi = new TextDecoder().decode(entry.string());
    const value = entry.enter();
    return [psi, { ...readPlain(value), contractAddress: new Uint8Array(20) }];
  });
  return { ...outcome, cumulativeGasUsed, logs, private: new Map(entries) };
}

function readExtra(item: RlpReader): Pick<StoredReceipt, 'private' | 'revertReason'> | undefined {
  if (item.done) return undefined;
  const version = item.number();
  if (version !== EXTRA_VERSION)
    throw fail('RECEIPT_VERSION_UNKNOWN', `receipts of version ${version} are not known`);
  const entries = readAll(item, (entry): [Psi, PrivateOutcome] => {
    const psi = new TextDecoder().decode(entry.string());
    const value = entry.enter();
    const plain = readPlain(value);
    const reason = readReason(value);
    value.skip();
    return [psi, { ...plain, ...reason, contractAddress: value.fixed(20) }];
  });
  return { private: new Map(entries), ...readReason(item) };
}

function readPlain(item: RlpReader): Outcome {
  const outcome = readOutcome(item);
  return { ...outcome, cumulativeGasUsed: item.bigint(8), logs: readAll(item, readLog) };
}

function readReason(item: RlpReader): Pick<Outcome, 'revertReason'> {
  const revertReason = item.string();
  return revertReason.length === 0 ? {} : { revertReason };
}

function readOutcome(item: RlpReader): Pick<Outcome, 'status' | 'postState'> {
  const value = item.string();
  if (value.length === 0) return { status: 0 };
  if (value.length === 1 && value[0] === 1) return { status: 1 };
  if (value.length === 32) return { status: undefined, postState: value };
  throw fail('RECEIPT_STATUS_INVALID', 'invalid receipt status');
}

/** A log is address, topics, data; older nodes appended more. */
function readLog(item: RlpReader): Log {
  const address = item.fixed(20);
  const topics = readItems(item.enter(), (topic) => topic.fixed(32));
  return { address, topics, data: item.string() };
}

function readAll<T>(reader: RlpReader, read: (item: RlpReader) => T): T[] {
  return readItems(reader.enter(), (list) => read(list.enter()));
}

function readItems<T>(list: RlpReader, read: (list: RlpReader) => T): T[] {
  const items: T[] = [];
  while (!list.done) items.push(read(list));
  return items;
}
