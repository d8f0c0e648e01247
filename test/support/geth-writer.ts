/**
 * Writes a chain of ours in GoQuorum's format: the oldest blocks in an ancient store, the others
 * and the newest states in LevelDB, including the private state with its roots and its contracts'
 * metadata (GoQuorum 24.4.1 core/rawdb/schema.go, database_quorum.go, freezer_table.go).
 */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { compareBytes, concatBytes, type Hash32, ZERO_HASH } from '../../src/core/base/bytes.ts';
import { EMPTY_ROOT, keccak256 } from '../../src/core/base/keccak.ts';
import type { Kv } from '../../src/core/base/ports.ts';
import { bigIntToFixed, numberToUint64 } from '../../src/core/base/quantity.ts';
import { RlpReader, RlpWriter } from '../../src/core/base/rlp.ts';
import { encodeBody } from '../../src/core/chain/block.ts';
import { encodeHeader } from '../../src/core/chain/header.ts';
import { encodeReceipt, type Receipt } from '../../src/core/chain/receipt.ts';
import { decodeTransaction, writeTransaction } from '../../src/core/chain/transaction.ts';
import { DEFAULT_PSI } from '../../src/core/privacy/inputs.ts';
import type { PrivacyMetadata } from '../../src/core/state/account.ts';
import { Trie, type TrieChange } from '../../src/core/state/trie.ts';
import type { ChainStore } from '../../src/core/store/chain-store.ts';
import { PUBLIC_SPACE } from '../../src/core/store/interface.ts';
import { afterPrefix, isNode, TABLE } from '../../src/core/store/keys.ts';
import { snappyEncode } from '../../src/core/wire/snappy.ts';

interface Written {
  readonly store: ChainStore;
  readonly kv: Kv;
  /** The chain configuration as JSON. */
  readonly config: string;
  /** Blocks below this number are in the ancient store. */
  readonly frozen: number;
}

/** GoQuorum's core/blockchain.go, BlockChainVersion. */
const DATABASE_VERSION = 8;
const PRIVATE_SPACE = { kind: 'private', psi: DEFAULT_PSI } as const;

type Level = ClassicLevel<Uint8Array, Uint8Array>;

/**
 * Writes `folder` as a `--datadir` of GoQuorum. The index must be at the head. Does not support
 * several private states or privacy markers.
 */
export async function writeGethFolder(folder: string, written: Written): Promise<void> {
  const { store } = written;
  const geth = await GethFolder.create(folder, written.frozen);
  const head = store.head()!;
  let privateRoot: Hash32 = EMPTY_ROOT;
  for (let number = 0; number <= head.number; number++) {
    const block = store.block(number)!;
    privateRoot = store.privateRecord(DEFAULT_PSI, number)?.root ?? privateRoot;
    await geth.append(
      {
        headers: encodeHeader(block.header),
        hashes: block.hash,
        bodies: encodeBody(block),
        receipts: storedReceipts(receiptsOf(store, number)),
      },
      [key('P', block.header.stateRoot), privateRoot],
    );
  }
  await geth.finish(written, privateRoot);
}

/** Writes geth's journal of local transactions (GoQuorum 24.4.1 core/tx_journal.go). */
export function writeGethJournal(folder: string, raws: readonly Uint8Array[]): void {
  const writer = new RlpWriter(1024);
  for (const raw of raws) writeTransaction(writer, decodeTransaction(raw));
  writeFileSync(join(folder, 'geth/transactions.rlp'), writer.finish());
}

/** Blocks per LevelDB batch. */
const BATCH_BLOCKS = 256;

/** A data folder that grows block by block. */
export class GethFolder {
  private readonly level: Level;
  private readonly freezer: Freezer;
  private readonly frozen: number;
  private batch: ReturnType<Level['batch']>;
  private next = 0;
  private head: Hash32 | undefined;

  private constructor(level: Level, freezer: Freezer, frozen: number) {
    this.level = level;
    this.freezer = freezer;
    this.frozen = frozen;
    this.batch = level.batch();
  }

  /** Blocks below `frozen` go to the ancient store. */
  static async create(folder: string, frozen: number): Promise<GethFolder> {
    const chaindata = join(folder, 'geth/chaindata');
    mkdirSync(join(chaindata, 'ancient'), { recursive: true });
    const encodings = { keyEncoding: 'view', valueEncoding: 'view' } as const;
    const level: Level = new ClassicLevel(chaindata, encodings);
    await level.open();
    return new GethFolder(level, new Freezer(join(chaindata, 'ancient')), frozen);
  }

  /** Appends the next block, starting with 0, and optionally another row. */
  async append(item: StoredItem, row?: readonly [Uint8Array, Uint8Array]): Promise<void> {
    const { batch } = this;
    const number = numberToUint64(this.next);
    const { headers, hashes: hash, bodies, receipts } = item;
    if (row) batch.put(...row);
    batch.put(key('H', hash), number);
    if (this.next < this.frozen) this.freezer.append(item);
    // Geth also keeps block 0 in LevelDB.
    if (this.next >= this.frozen || this.next === 0) {
      batch.put(key('h', number, text('n')), hash);
      batch.put(key('h', number, hash), headers);
      batch.put(key('b', number, hash), bodies);
      batch.put(key('r', number, hash), receipts);
    }
    this.next++;
    this.head = hash;
    if (this.next % BATCH_BLOCKS !== 0) return;
    await batch.write();
    this.batch = this.level.batch();
  }

  /** Writes the newest states of `store`, and geth's own records about the chain. */
  async finish({ store, kv, config }: Omit<Written, 'frozen'>, privateRoot: Hash32): Promise<void> {
    const { level } = this;
    await this.batch.write();
    this.freezer.close();
    await writeState(level, kv);
    await writePreimages(level, store);
    await writeMetadata(level, store, privateRoot);
    await level.put(text('DatabaseVersion'), Uint8Array.of(DATABASE_VERSION));
    await level.put(text('LastBlock'), this.head!);
    await level.put(key('ethereum-config-', store.hashOf(0)!), text(config));
    await level.close();
  }
}

/** Every trie node and every code in the index, by its hash. */
async function writeState(level: Level, kv: Kv): Promise<void> {
  let batch = level.batch();
  const all = new Uint8Array(0);
  for (const [key, rlp] of kv.range(TABLE.state, all, afterPrefix(all))) {
    if (!isNode(key)) continue;
    batch.put(keccak256(rlp), rlp);
    if (batch.length < 4_096) continue;
    await batch.write();
    batch = level.batch();
  }
  for (const [hash, code] of kv.range(TABLE.code, all, afterPrefix(all))) {
    batch.put(key('c', hash), code);
  }
  await batch.write();
}

/** The addresses and slots whose hashes are the keys of the newest states. */
async function writePreimages(level: Level, store: ChainStore): Promise<void> {
  const { number } = store.head()!;
  const batch = level.batch();
  for (const space of [PUBLIC_SPACE, PRIVATE_SPACE]) {
    const state = store.stateAt(space, number);
    for (const { address, account } of state.accounts(ZERO_HASH)) {
      batch.put(key('secure-key-', keccak256(address)), address);
      for (const { slot } of state.slots(address, account, ZERO_HASH)) {
        const name = bigIntToFixed(slot, 32);
        batch.put(key('secure-key-', keccak256(name)), name);
      }
    }
  }
  await batch.write();
}

/**
 * The metadata of private contracts: a trie of its own, linked to the root of the private state.
 */
async function writeMetadata(level: Level, store: ChainStore, privateRoot: Hash32): Promise<void> {
  const state = store.stateAt(PRIVATE_SPACE, store.head()!.number);
  const leaves: TrieChange[] = [];
  for (const { address } of state.accounts(ZERO_HASH)) {
    const metadata = state.metadata(address);
    if (metadata) leaves.push([keccak256(address), accountExtra(metadata)]);
  }
  if (leaves.length === 0) return;
  const nothing = Trie.empty();
  const trie = nothing.update(leaves.sort(([a], [b]) => compareBytes(a, b)));
  await level.put(key('PSR2PMDR', privateRoot), trie.root());
  for (const { rlp } of trie.changedNodes(nothing)) if (rlp) await level.put(keccak256(rlp), rlp);
}

function accountExtra({ creationHash, flag, managedParties }: PrivacyMetadata): Uint8Array {
  const writer = new RlpWriter(256);
  const start = writer.begin();
  writer.string(creationHash).number(flag);
  const parties = writer.begin();
  for (const party of managedParties) writer.string(text(party));
  return writer.end(parties).end(start).finish().slice();
}

/** For private transactions, the receipts of the private state. */
function receiptsOf(store: ChainStore, number: number): readonly Receipt[] {
  const own = store.privateRecord(DEFAULT_PSI, number)?.receipts;
  return store.receipts(number)!.map((receipt, index) => own?.get(index) ?? receipt);
}

/** Receipts in storage form: status, gas, logs. */
export function storedReceipts(receipts: readonly Receipt[]): Uint8Array {
  const writer = new RlpWriter(1_024);
  const start = writer.begin();
  for (const receipt of receipts) {
    const encoded = encodeReceipt(receipt);
    const list = new RlpReader(receipt.type === 0 ? encoded : encoded.subarray(1)).enter();
    const item = writer.begin();
    writer.raw(list.raw()).raw(list.raw());
    list.skip();
    writer.raw(list.raw()).end(item);
  }
  return writer.end(start).finish();
}

/** A block's rows, by the names of the ancient store's tables. */
export type StoredItem = Readonly<Record<'headers' | 'hashes' | 'bodies' | 'receipts', Uint8Array>>;

/** One data file per table. */
class Freezer {
  private readonly tables;

  constructor(folder: string) {
    const open = (name: keyof StoredItem, isPacked: boolean) => {
      const kind = isPacked ? 'c' : 'r';
      const index = openSync(join(folder, `${name}.${kind}idx`), 'w');
      writeSync(index, entry(0));
      const data = openSync(join(folder, `${name}.0000.${kind}dat`), 'w');
      return { name, isPacked, index, data, end: 0 };
    };
    this.tables = [
      open('headers', true),
      open('hashes', false),
      open('bodies', true),
      open('receipts', true),
    ];
  }

  append(item: StoredItem): void {
    for (const table of this.tables) {
      const bytes = table.isPacked ? snappyEncode(item[table.name]) : item[table.name];
      writeSync(table.data, bytes);
      table.end += bytes.length;
      writeSync(table.index, entry(table.end));
    }
  }

  close(): void {
    for (const { index, data } of this.tables) {
      closeSync(index);
      closeSync(data);
    }
  }
}

/** An index entry of data file 0. */
function entry(end: number): Uint8Array {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt32BE(end, 2);
  return bytes;
}

function key(prefix: string, ...parts: readonly (Uint8Array | Hash32)[]): Uint8Array {
  return concatBytes(text(prefix), ...parts);
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}
