/**
 * A chain in geth's database: LevelDB for the newest blocks, the ancient store for older ones, with
 * the keys of GoQuorum 24.4.1 core/rawdb/schema.go and database_quorum.go.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { concatBytes, equalBytes, type Hash32 } from '../../core/base/bytes.ts';
import { listOfRaw, readList } from '../../core/base/rlp.ts';
import { blockHash } from '../../core/chain/extra-data.ts';
import { decodeHeader } from '../../core/chain/header.ts';
import { checkFolderKind, checkVersion } from './database-kind.ts';
import { damaged, FreezerTable, type FreezerTableName } from './freezer.ts';
import { LevelCopy } from './level-copy.ts';

export interface ChainDatabaseFolders {
  /** The folder `geth/chaindata` of a data folder. */
  readonly chaindata: string;
  /** The folder `ancient` in it, unless --datadir.ancient was given. */
  readonly ancient: string;
  /** Created and later removed; on the disk of `chaindata` it takes no space. */
  readonly scratch: string;
}

export class ChainDatabase {
  readonly head: { readonly number: number; readonly hash: Hash32 };
  /** Blocks below this are in the ancient store. */
  readonly frozen: number;
  private readonly folders: ChainDatabaseFolders;
  private readonly level: LevelCopy;
  private readonly tables: Readonly<Record<FreezerTableName, FreezerTable>> | undefined;

  private constructor(folders: ChainDatabaseFolders, level: LevelCopy) {
    this.folders = folders;
    this.level = level;
    const { ancient } = folders;
    this.tables = existsSync(join(ancient, 'hashes.ridx'))
      ? {
          headers: new FreezerTable(ancient, 'headers'),
          hashes: new FreezerTable(ancient, 'hashes'),
          bodies: new FreezerTable(ancient, 'bodies'),
          receipts: new FreezerTable(ancient, 'receipts'),
        }
      : undefined;
    this.frozen = this.tables
      ? Math.min(...Object.values(this.tables).map(({ count }) => count))
      : 0;
    this.head = this.readHead();
  }

  /** Rejects with GETH_DATA_DAMAGED, GETH_DATA_NEWER. */
  static async open(folders: ChainDatabaseFolders): Promise<ChainDatabase> {
    checkFolderKind(folders.chaindata, folders.ancient);
    const level = await LevelCopy.open(folders.chaindata, folders.scratch);
    try {
      checkVersion(folders.chaindata, level.get(ascii('DatabaseVersion')));
      return new ChainDatabase(folders, level);
    } catch (error) {
      await level.close();
      throw error;
    }
  }

  /**
   * In another thread, while the one that opened it lends it (`lent`). Rejects with
   * GETH_DATA_DAMAGED.
   */
  static async borrow(folders: ChainDatabaseFolders): Promise<ChainDatabase> {
    const level = await LevelCopy.borrow(folders.chaindata, folders.scratch);
    return new ChainDatabase(folders, level);
  }

  /**
   * Until `use` has ended, another thread may `borrow` it, and nothing can be read from LevelDB
   * here.
   */
  lent<T>(use: (folders: ChainDatabaseFolders) => Promise<T>): Promise<T> {
    return this.level.lent(() => use(this.folders));
  }

  /** The hash of the canonical block. Throws GETH_DATA_DAMAGED. */
  hashOf(number: number): Hash32 {
    const hash =
      this.tables && number < this.frozen
        ? this.tables.hashes.read(number)
        : this.level.get(concatBytes(ascii('h'), u64(number), ascii('n')));
    if (hash?.length !== 32) throw this.missing(number, 'hash');
    return hash;
  }

  /** RLP of the canonical block, whose header has its hash. Throws GETH_DATA_DAMAGED. */
  block(number: number): Uint8Array {
    const hash = this.hashOf(number);
    const header = this.part('headers', 'h', number, hash);
    if (!equalBytes(blockHash(decodeHeader(header)), hash)) throw this.missing(number, 'header');
    return this.assembled(number, hash, header);
  }

  /**
   * The canonical block with its receipts, as they are stored (stored-receipts.ts); whether its
   * header has the hash is for the caller to check. Throws GETH_DATA_DAMAGED.
   */
  stored(number: number): { hash: Hash32; block: Uint8Array; receipts: Uint8Array } {
    const hash = this.hashOf(number);
    const receipts = this.part('receipts', 'r', number, hash);
    const header = this.part('headers', 'h', number, hash);
    return { hash, block: this.assembled(number, hash, header), receipts };
  }

  /** RLP of a header. Throws GETH_DATA_DAMAGED. */
  header(number: number): Uint8Array {
    return this.part('headers', 'h', number, this.hashOf(number));
  }

  private assembled(number: number, hash: Hash32, header: Uint8Array): Uint8Array {
    const body = readList(this.part('bodies', 'b', number, hash));
    const items = [header];
    while (!body.done) items.push(body.raw());
    return listOfRaw(items);
  }

  /**
   * The address or slot with this hash, if the node kept it ("--cache.preimages", on by default).
   */
  preimage(hash: Hash32): Uint8Array | undefined {
    return this.level.get(concatBytes(ascii('secure-key-'), hash));
  }

  /** Root of the trie with GoQuorum's extra data of private contracts. */
  extraDataRoot(privateRoot: Hash32): Hash32 | undefined {
    return this.level.get(concatBytes(ascii('PSR2PMDR'), privateRoot));
  }

  /** An error about damage of the state, which is in LevelDB. */
  stateDamaged(what: string, cause?: unknown): Error {
    return damaged(this.folders.chaindata, what, cause);
  }

  /** JSON of the chain's configuration, as `geth init` stored it last. */
  storedConfig(): unknown {
    const bytes = this.level.get(concatBytes(ascii('ethereum-config-'), this.hashOf(0)));
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  }

  /** The private state root after the block with this public root; undefined: none was written. */
  privateRoot(publicRoot: Hash32): Hash32 | undefined {
    return this.level.get(concatBytes(ascii('P'), publicRoot));
  }

  /** The root of the trie of private states (`isMPS`), which maps PSI to root. */
  privateStatesRoot(publicRoot: Hash32): Hash32 | undefined {
    return this.level.get(concatBytes(ascii('PSTP'), publicRoot));
  }

  /** A trie node or, in old databases, a contract's code. */
  node(hash: Hash32): Uint8Array | undefined {
    return this.level.get(hash);
  }

  code(hash: Hash32): Uint8Array | undefined {
    return this.level.get(concatBytes(ascii('c'), hash)) ?? this.level.get(hash);
  }

  /** Releases the memory of what was read. No read may be in progress. */
  release(): Promise<void> {
    return this.level.reopen();
  }

  async close(): Promise<void> {
    this.closeTables();
    await this.level.close();
  }

  /** Ends the use of a borrowed database. */
  async giveBack(): Promise<void> {
    this.closeTables();
    await this.level.giveBack();
  }

  private closeTables(): void {
    if (this.tables) for (const table of Object.values(this.tables)) table.close();
  }

  private readHead(): { readonly number: number; readonly hash: Hash32 } {
    const hash = this.level.get(ascii('LastBlock'));
    const number = hash && this.level.get(concatBytes(ascii('H'), hash));
    if (hash === undefined || number === undefined)
      throw damaged(this.folders.chaindata, 'does not say which block is its head');
    return { hash, number: Number(Buffer.from(number).readBigUInt64BE()) };
  }

  private part(
    table: 'headers' | 'bodies' | 'receipts',
    prefix: string,
    number: number,
    hash: Hash32,
  ) {
    const bytes =
      this.tables && number < this.frozen
        ? this.tables[table].read(number)
        : this.level.get(concatBytes(ascii(prefix), u64(number), hash));
    if (bytes === undefined) throw this.missing(number, PART_NAME[table]);
    return bytes;
  }

  private missing(number: number, what: string): Error {
    const { ancient, chaindata } = this.folders;
    if (this.tables) return damaged(chaindata, `lacks the ${what} of block ${number}`);
    return damaged(
      ancient,
      `is not there, and ${chaindata} lacks the ${what} of block ${number}: name it with --datadir.ancient, or`,
    );
  }
}

const PART_NAME = { headers: 'header', bodies: 'body', receipts: 'receipts' } as const;

const keys = new Map<string, Uint8Array>();

/** Bytes of the text part of a key, kept for the next call. */
function ascii(text: string): Uint8Array {
  let bytes = keys.get(text);
  if (!bytes) {
    bytes = new TextEncoder().encode(text);
    keys.set(text, bytes);
  }
  return bytes;
}

function u64(number: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number));
  return bytes;
}
