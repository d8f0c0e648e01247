/**
 * The index of accounts: which transactions concern an account, in the public state and in each
 * private one (docs/internals/accounts.md). Append only; the newest entries are in memory, and
 * are lost with the process: the indexer adds them again from the block log.
 */
import { type Address, EMPTY_BYTES, keyOf } from '../../base/bytes.ts';
import type { Kv, KvWriter } from '../../base/ports.ts';
import type { Psi } from '../../privacy/inputs.ts';
import type { Space } from '../interface.ts';
import { SerialQueue } from '../serial-queue.ts';
import {
  ACCOUNT_TABLE,
  type AccountBlock,
  type AccountIndexState,
  accountKey,
  blockKey,
  decodeRun,
  decodeState,
  EVERY_KEY,
  encodeRuns,
  encodeState,
  keyAt,
  numberOfKey,
  STATE_KEY,
  spaceOfKey,
} from './account-rows.ts';
import { addressOf, type BlockAccounts, type Creation } from './block-accounts.ts';
import { encodeSenders } from './block-senders.ts';

/** With this many entries in memory a write to disk is due. */
const WRITE_AFTER = 16_384;
/** With this many entries in memory the indexer waits for the disk. */
const WAIT_AFTER = 4 * WRITE_AFTER;
const PUBLIC_ID = 0;
const END = Number.MAX_SAFE_INTEGER;

export interface FoundCreation {
  readonly block: number;
  readonly index: number;
  readonly creator: Address;
}

interface NewCreation extends Creation {
  readonly space: number;
  readonly block: number;
}

/** The entries that one write stores on disk. */
class Generation {
  /** Blocks of accounts by space number, then by keyOf(address), ascending. */
  readonly spaces = new Map<number, Map<string, AccountBlock[]>>();
  /** By keyOf(address) of the contract; in each space ascending by block. */
  readonly creations = new Map<string, NewCreation[]>();
  /** Rows of senders by block. */
  readonly senders = new Map<number, Uint8Array>();
  size = 0;

  add(space: number, number: number, { places, creations }: BlockAccounts): void {
    const own = this.spaces.get(space) ?? new Map<string, AccountBlock[]>();
    this.spaces.set(space, own);
    for (const [key, of] of places) {
      const blocks = own.get(key);
      if (blocks) blocks.push({ number, places: of });
      else own.set(key, [{ number, places: of }]);
      this.size += of.length / 2;
    }
    for (const each of creations) {
      const key = keyOf(each.address);
      const known = this.creations.get(key);
      const created = { ...each, space, block: number };
      if (known) known.push(created);
      else this.creations.set(key, [created]);
    }
  }

  blocks(space: number, key: string): readonly AccountBlock[] {
    return this.spaces.get(space)?.get(key) ?? [];
  }
}

export class AccountIndex {
  private readonly kv: Kv;
  private readonly turn = new SerialQueue();
  private state: AccountIndexState = { cursor: -1, hash: EMPTY_BYTES, callsFrom: 0, spaces: [] };
  /** The state on disk, from the last write. */
  private written: AccountIndexState;
  private recent = new Generation();
  private writing: Generation | undefined;

  constructor(kv: Kv) {
    this.kv = kv;
    const row = kv.get(ACCOUNT_TABLE.meta, STATE_KEY);
    if (row) this.state = decodeState(row) ?? this.state;
    this.written = this.state;
  }

  /** Last block whose entries are known; -1: none. */
  cursor(space: Space): number {
    if (space.kind === 'public') return this.state.cursor;
    return this.state.spaces.find(({ psi }) => psi === space.psi)?.cursor ?? -1;
  }

  /** Hash of the block at the cursor of the public state. */
  get hash(): Uint8Array {
    return this.state.hash;
  }

  /** Internal calls are known from this block on. */
  get callsFrom(): number {
    return this.state.callsFrom;
  }

  /** Memory is full: wait for `write` before the next block. */
  get isFull(): boolean {
    return this.recent.size >= WAIT_AFTER;
  }

  get isDue(): boolean {
    return this.recent.size >= WRITE_AFTER;
  }

  /** Adds the next block. `hasCalls`: `accounts` include those of its internal calls. */
  add(number: number, hash: Uint8Array, accounts: BlockAccounts, hasCalls: boolean): void {
    const callsFrom = hasCalls ? this.state.callsFrom : number + 1;
    this.state = { ...this.state, cursor: number, hash, callsFrom };
    this.recent.add(PUBLIC_ID, number, accounts);
    const senders = encodeSenders(accounts.places);
    if (senders) this.recent.senders.set(number, senders);
  }

  /** Adds the next block of a private state; `accounts` undefined: the block has none there. */
  addPrivate(psi: Psi, number: number, accounts: BlockAccounts | undefined): void {
    const { spaces } = this.state;
    const known = spaces.find((each) => each.psi === psi);
    const id = known?.id ?? spaces.length + 1;
    const others = spaces.filter((each) => each !== known);
    this.state = { ...this.state, spaces: [...others, { psi, id, cursor: number }] };
    if (accounts) this.recent.add(id, number, accounts);
  }

  /** The account's blocks below `below`, the newest first. */
  *before(space: Space, address: Address, below: number): Generator<AccountBlock> {
    const id = this.idOf(space);
    if (id === undefined) return;
    let next = below;
    for (const block of this.descending(id, address, below)) {
      if (block.number >= next) continue;
      next = block.number;
      yield block;
    }
  }

  /** The account's blocks above `above`, the oldest first. */
  *after(space: Space, address: Address, above: number): Generator<AccountBlock> {
    const id = this.idOf(space);
    if (id === undefined) return;
    let last = above;
    for (const block of this.ascending(id, address, above)) {
      if (block.number <= last) continue;
      last = block.number;
      yield block;
    }
  }

  /**
   * The senders of a block's transactions, for `decodeSenders`. Undefined: it has none, or an older
   * version has written its entries.
   */
  senders(number: number): Uint8Array | undefined {
    for (const { senders } of this.inMemory()) {
      const row = senders.get(number);
      if (row) return row;
    }
    return this.kv.get(ACCOUNT_TABLE.senders, blockKey(number))?.slice();
  }

  /** The last creation of the contract up to block `upTo`. */
  creation(space: Space, address: Address, upTo: number): FoundCreation | undefined {
    const id = this.idOf(space);
    if (id === undefined) return undefined;
    const wanted = keyOf(address);
    for (const { creations } of this.inMemory()) {
      const found = creations
        .get(wanted)
        ?.findLast(({ space, block }) => space === id && block <= upTo);
      if (found) return found;
    }
    const [from, to] = [accountKey(id, address, upTo), accountKey(id, address, 0)];
    for (const [key, row] of this.kv.rangeReverse(ACCOUNT_TABLE.creations, from, beforeKey(to))) {
      const index = new DataView(row.buffer, row.byteOffset).getUint32(0);
      return { block: numberOfKey(key), index, creator: row.slice(4) };
    }
    return undefined;
  }

  /** Writes to disk what was added since the last write. */
  write(): Promise<void> {
    return this.turn.run(async () => {
      if (this.state === this.written) return;
      const { state, recent: writing } = this;
      this.writing = writing;
      this.recent = new Generation();
      await this.kv.commit(function* (writer) {
        yield* putGeneration(writer, writing);
        writer.put(ACCOUNT_TABLE.meta, STATE_KEY, encodeState(state));
      });
      this.writing = undefined;
      this.written = state;
    });
  }

  /** Removes the entries above block `to`: of one private state, or (`all`) of the whole chain. */
  async rewind(target: Psi | 'all', to: number): Promise<void> {
    await this.write();
    await this.turn.run(async () => {
      const { state, kv } = this;
      const isOf = (psi: Psi) => target === 'all' || psi === target;
      const ids = new Set(state.spaces.filter(({ psi }) => isOf(psi)).map(({ id }) => id));
      if (target === 'all') ids.add(PUBLIC_ID);
      const rewound: AccountIndexState = {
        ...state,
        ...(target === 'all' && state.cursor > to ? { cursor: to, hash: EMPTY_BYTES } : {}),
        callsFrom: target === 'all' ? Math.min(state.callsFrom, to + 1) : state.callsFrom,
        spaces: state.spaces.map((each) =>
          isOf(each.psi) ? { ...each, cursor: Math.min(each.cursor, to) } : each,
        ),
      };
      await kv.commit(function* (writer) {
        yield* removeAbove(kv, writer, ids, to);
        writer.put(ACCOUNT_TABLE.meta, STATE_KEY, encodeState(rewound));
      });
      this.state = rewound;
      this.written = rewound;
    });
  }

  async close(): Promise<void> {
    await this.write();
    await this.kv.close();
  }

  private idOf(space: Space): number | undefined {
    if (space.kind === 'public') return PUBLIC_ID;
    return this.state.spaces.find(({ psi }) => psi === space.psi)?.id;
  }

  /** Generations in memory, the newest first. */
  private inMemory(): readonly Generation[] {
    return this.writing ? [this.recent, this.writing] : [this.recent];
  }

  private *descending(id: number, address: Address, below: number): Generator<AccountBlock> {
    const key = keyOf(address);
    for (const generation of this.inMemory()) {
      yield* generation.blocks(id, key).toReversed();
    }
    if (below === 0) return;
    const [from, to] = [accountKey(id, address, below - 1), accountKey(id, address, 0)];
    for (const [key, row] of this.kv.rangeReverse(ACCOUNT_TABLE.places, from, beforeKey(to))) {
      yield* decodeRun(numberOfKey(key), row).toReversed();
    }
  }

  private *ascending(id: number, address: Address, above: number): Generator<AccountBlock> {
    const { kv } = this;
    const from = accountKey(id, address, above);
    const first = accountKey(id, address, 0);
    let start = from;
    // A run that begins before `from` may reach beyond it.
    for (const [key] of kv.rangeReverse(ACCOUNT_TABLE.places, from, beforeKey(first))) {
      start = key.slice();
      break;
    }
    for (const [key, row] of kv.range(ACCOUNT_TABLE.places, start, keyAt(from, END))) {
      yield* decodeRun(numberOfKey(key), row);
    }
    const key = keyOf(address);
    yield* this.writing?.blocks(id, key) ?? [];
    yield* this.recent.blocks(id, key);
  }
}

function* putGeneration(
  writer: KvWriter,
  { spaces, creations, senders }: Generation,
): Generator<void> {
  for (const [space, accounts] of spaces) {
    for (const [key, blocks] of accounts) {
      const address = addressOf(key);
      for (const { first, row } of encodeRuns(blocks)) {
        writer.put(ACCOUNT_TABLE.places, accountKey(space, address, first), row);
      }
      yield;
    }
  }
  for (const { space, block, address, creator, index } of [...creations.values()].flat()) {
    const row = new Uint8Array(24);
    new DataView(row.buffer).setUint32(0, index);
    row.set(creator, 4);
    writer.put(ACCOUNT_TABLE.creations, accountKey(space, address, block), row);
    yield;
  }
  for (const [block, row] of senders) {
    writer.put(ACCOUNT_TABLE.senders, blockKey(block), row);
    yield;
  }
}

/** Scans all rows, which is needed only when a chain is rewound. */
function* removeAbove(
  kv: Kv,
  writer: KvWriter,
  ids: ReadonlySet<number>,
  to: number,
): Generator<void> {
  for (const [key, row] of kv.range(ACCOUNT_TABLE.places, ...EVERY_KEY)) {
    yield;
    if (!ids.has(spaceOfKey(key))) continue;
    const first = numberOfKey(key);
    const blocks = decodeRun(first, row);
    if (blocks.at(-1)!.number <= to) continue;
    const kept = blocks.filter(({ number }) => number <= to);
    if (kept.length === 0) writer.delete(ACCOUNT_TABLE.places, key.slice());
    else for (const run of encodeRuns(kept)) writer.put(ACCOUNT_TABLE.places, key.slice(), run.row);
  }
  for (const [key] of kv.range(ACCOUNT_TABLE.creations, ...EVERY_KEY)) {
    yield;
    if (ids.has(spaceOfKey(key)) && numberOfKey(key) > to) {
      writer.delete(ACCOUNT_TABLE.creations, key.slice());
    }
  }
  if (!ids.has(PUBLIC_ID)) return;
  for (const [key] of kv.range(ACCOUNT_TABLE.senders, blockKey(to + 1), blockKey(END))) {
    writer.delete(ACCOUNT_TABLE.senders, key.slice());
    yield;
  }
}

/** The end of a reverse range that includes `key`, whose last byte is 0. */
function beforeKey(key: Uint8Array): Uint8Array {
  return key.subarray(0, -1);
}
