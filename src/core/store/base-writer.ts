/**
 * Stores the initial states of a chain that was copied without executing it: their rows go straight
 * into the index, some parts at a time. The checkpoint stays before the first part until all parts
 * are there, so that after a crash in between they are read again from the log.
 */
import { equalBytes, type Hash32 } from '../base/bytes.ts';
import { EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import type { Kv, KvWriter } from '../base/ports.ts';
import type { Psi } from '../privacy/inputs.ts';
import type { StatePart } from './base-records.ts';
import { type CheckpointMark, writeMark } from './checkpoint.ts';
import type { Head } from './interface.ts';
import {
  accountKey,
  accountNodeKey,
  metadataKey,
  PUBLIC_ID,
  slotKey,
  storageNodeKey,
  TABLE,
} from './keys.ts';
import type { LogPosition } from './log-record.ts';
import { encodeAccountRow, encodeMetadata, encodeSlotRow } from './rows.ts';
import type { Spaces } from './spaces.ts';
import { wrongIndex } from './store-errors.ts';
import { moveWaitingRows } from './waiting-rows.ts';

/** Bytes of log records after which their rows are committed. */
const COMMIT_BYTES = 16 * 1024 * 1024;
/** All copied storages count as having begun in block 0: their true age is unknown. */
const BORN = 0;

interface BaseParts {
  readonly kv: Kv;
  readonly spaces: Spaces;
}

/** Where the copy of a state continues: everything before is in the log. */
export interface StateProgress {
  readonly psi: Psi | undefined;
  readonly account: Hash32 | undefined;
  /** A slot of that account; undefined: none of its slots is stored. */
  readonly slot: Hash32 | undefined;
}

export class BaseWriter {
  private readonly parts: BaseParts;
  private waiting: StatePart[] = [];
  private waitingBytes = 0;
  /** Undefined: there is no part yet. */
  progress: StateProgress | undefined;

  constructor(parts: BaseParts) {
    this.parts = parts;
  }

  /** `bytes`: length of the part's log record. */
  async add(part: StatePart, bytes: number): Promise<void> {
    const { spaces } = this.parts;
    const { psi } = part;
    if (psi !== undefined && !spaces.get(psi)) spaces.add(psi, spaces.open.cursor);
    this.progress = progressOf(part, this.progress);
    this.waiting.push(part);
    this.waitingBytes += bytes;
    if (this.waitingBytes >= COMMIT_BYTES) await this.commit();
  }

  /**
   * All parts are there: the index now holds the base, as of `position` in the log. `roots`: state
   * roots of the private states. Throws STORE_INDEX_UNFIT if a state does not have its root.
   */
  async finish(head: Head, roots: ReadonlyMap<Psi, Hash32>, position: LogPosition): Promise<void> {
    const { kv, spaces } = this.parts;
    const { number, hash } = head;
    await this.commit();
    await moveWaitingRows(kv, () => true);
    for (const psi of roots.keys()) if (!spaces.get(psi)) spaces.add(psi, number);
    const mark: CheckpointMark = {
      ...{ number, hash, root: head.header.stateRoot, position },
      baseCursor: number,
      base: { number, isWhole: true },
      spaces: Array.from(spaces.privates(), ({ psi, id }) => ({
        ...{ psi: psi!, id, cursor: number, root: roots.get(psi!) ?? EMPTY_ROOT },
      })),
    };
    this.checkRoot(PUBLIC_ID, mark.root);
    for (const { id, root } of mark.spaces) this.checkRoot(id, root);
    await kv.commit(function* (writer) {
      writeMark(writer, mark);
      yield;
    });
    spaces.base = mark.base;
    for (const entry of spaces.privates()) entry.cursor = number;
    spaces.baseCursor = number;
    spaces.settleAt(mark);
  }

  private checkRoot(id: number, root: Hash32): void {
    if (equalBytes(root, EMPTY_ROOT)) return;
    const node = this.parts.kv.get(TABLE.state, accountNodeKey(id, new Uint8Array(0)));
    if (!node || !equalBytes(keccak256(node), root))
      throw wrongIndex('the copied state does not have the root of its block');
  }

  private async commit(): Promise<void> {
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    this.waitingBytes = 0;
    const { kv, spaces } = this.parts;
    await kv.commit(function* (writer) {
      for (const part of waiting) {
        const id = part.psi === undefined ? PUBLIC_ID : spaces.get(part.psi)!.id;
        yield* writePart(writer, id, part);
      }
    });
  }
}

/** Writes the rows of one part. */
function* writePart(writer: KvWriter, id: number, part: StatePart): Generator<void> {
  for (const { owner, path, rlp } of part.nodes) {
    const key = owner ? storageNodeKey(id, owner, BORN, path) : accountNodeKey(id, path);
    writer.put(TABLE.state, key, rlp);
    yield;
  }
  for (const [table, key, row] of rowsOfPart(id, part)) {
    writer.put(table, key, row);
    yield;
  }
}

/** All rows of a part except its trie nodes. */
export function* rowsOfPart(
  id: number,
  { accounts, slots, metadata, codes }: StatePart,
): Generator<readonly [table: string, key: Uint8Array, row: Uint8Array]> {
  for (const { hash, address, account } of accounts) {
    yield [TABLE.state, accountKey(id, hash), encodeAccountRow(address, account)];
  }
  for (const { owner, hash, slot, value } of slots) {
    yield [TABLE.state, slotKey(id, owner, BORN, hash), encodeSlotRow(slot, value)];
  }
  for (const each of metadata) {
    yield [TABLE.state, metadataKey(id, each.hash), encodeMetadata(each.metadata)];
  }
  for (const { hash, code } of codes) yield [TABLE.code, hash, code];
}

function progressOf(part: StatePart, before: StateProgress | undefined): StateProgress {
  const isSame = before !== undefined && before.psi === part.psi;
  const account = part.accounts.at(-1)?.hash ?? (isSame ? before.account : undefined);
  const last = part.slots.at(-1);
  const isOfAccount =
    last !== undefined && account !== undefined && equalBytes(last.owner, account);
  const isKept = isSame && part.accounts.length === 0;
  const slot = isOfAccount ? last.hash : isKept ? before.slot : undefined;
  return { psi: part.psi, account, slot };
}
