/**
 * Checks an lmdb file before it is mapped: lmdb trusts its pages, and a missing or damaged page
 * ends the process (SIGBUS, SIGSEGV) without an error. Layout of lmdb-js 3 (LMDB 1.0, data version
 * 2): pages with a header of 24 bytes, two of them meta pages; little-endian.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';

const DATA_FILE = 'data.mdb';
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const HEADER_BYTES = 24;
const META_PAGES = 2;
const META_BYTES = 160;
const DB_BYTES = 48;
const PAGE_BYTES_MIN = 4096;
const PAGE_BYTES_MAX = 65_536;
/** Kinds of pages. */
const BRANCH = 0x01;
const LEAF = 0x02;
const OVERFLOW = 0x04;
const META = 0x08;
/** Flags of a leaf's node: its data is on separate pages, or is a table. */
const IS_OVERFLOW = 0x01;
const IS_TABLE = 0x02;
/** Flag of the table of free pages. */
const HAS_NUMBERS_AS_KEYS = 0x08;
const NODE_HEADER_BYTES = 8;
const OVERFLOW_BYTES = 24;
const DEPTH_MAX = 32;

/** What the pages of a tree contain. */
type Tree = 'free pages' | 'tables' | 'rows';

interface Table {
  readonly tree: Tree;
  readonly root: number | undefined;
  /** Number of entries that the table's description states. */
  readonly entries: number;
  found: number;
}

interface Step {
  readonly page: number;
  readonly table: Table;
}

interface Walk {
  readonly pageBytes: number;
  /** Number of pages in the file. */
  readonly pages: number;
  readonly lastPage: number;
  /** Number of the last committed transaction. */
  readonly transaction: bigint;
  /** Number of the last transaction whose freed pages were read: the keys of their list ascend. */
  lastFreed: bigint;
  readonly used: PageSet;
  readonly free: PageSet;
}

interface Meta {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly tables: readonly Table[];
}

/**
 * Throws STORAGE_DAMAGED, which names the file, when the file is shorter than what it refers to, or
 * when one of the first `pagesMax` pages that lmdb would walk is invalid. A file that is missing or
 * empty counts as new.
 */
export function checkLmdbPages(folder: string, pagesMax: number): void {
  withFile(folder, (file) => file.check(pagesMax));
}

/**
 * Throws STORAGE_DAMAGED when the list of free pages is invalid: it ends the process at its next
 * commit, and lmdb-js 3.5.6 itself was seen to write it so (docs/storage.md). Reads nothing else,
 * so it takes milliseconds.
 */
export function checkFreePages(folder: string): void {
  withFile(folder, (file) => file.checkFree());
}

function withFile(folder: string, check: (file: LmdbFile) => void): void {
  const path = join(folder, DATA_FILE);
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    check(new LmdbFile(path, descriptor));
  } finally {
    closeSync(descriptor);
  }
}

class LmdbFile {
  private readonly path: string;
  private readonly descriptor: number;
  private readonly size: number;

  constructor(path: string, descriptor: number) {
    this.path = path;
    this.descriptor = descriptor;
    this.size = fstatSync(descriptor).size;
  }

  check(pagesMax: number): void {
    if (this.size === 0) return;
    const meta = this.newestMeta();
    const isShort = this.size < (meta.lastPage + 1) * meta.pageBytes;
    // Pages that were allocated and freed in one transaction were never written: only a walk can
    // distinguish them from missing ones.
    const limit = isShort ? Number.POSITIVE_INFINITY : pagesMax;
    if (limit > 0) this.walk(meta, meta.tables, limit);
  }

  checkFree(): void {
    if (this.size === 0) return;
    const meta = this.newestMeta();
    const [free] = meta.tables;
    this.walk(meta, [free!], Number.POSITIVE_INFINITY);
  }

  private newestMeta(): Meta {
    const first = this.meta(0);
    const second = this.meta(first.pageBytes);
    const newest = second.transaction > first.transaction ? second : first;
    const oldest = newest === first ? second : first;
    // Transactions write the two meta pages alternately. In a new file neither has a transaction.
    const inTurn = newest.transaction - oldest.transaction === 1n || newest.transaction === 0n;
    if (second.pageBytes !== first.pageBytes || !inTurn) {
      throw this.damaged('its two meta pages disagree');
    }
    return newest;
  }

  private meta(at: number): Meta {
    const page = this.read(at, META_BYTES);
    const view = new DataView(page.buffer, page.byteOffset, page.length);
    const isMeta =
      view.getUint16(18, true) === META &&
      view.getUint32(24, true) === MAGIC &&
      view.getUint32(28, true) === DATA_VERSION;
    const pageBytes = view.getUint32(48, true);
    const isSize = PAGE_BYTES_MIN <= pageBytes && pageBytes <= PAGE_BYTES_MAX;
    const areTables = isTable(view, 48, HAS_NUMBERS_AS_KEYS) && isTable(view, 48 + DB_BYTES, 0);
    if (!isMeta || !isSize || !areTables || (pageBytes & (pageBytes - 1)) !== 0) {
      throw this.damaged('it does not begin as an lmdb file');
    }
    return {
      pageBytes,
      lastPage: Number(view.getBigUint64(144, true)),
      transaction: view.getBigUint64(152, true),
      tables: [tableAt(view, 48, 'free pages'), tableAt(view, 48 + DB_BYTES, 'tables')],
    };
  }

  /** Breadth first: pages that refer to others are checked before these. */
  private walk(meta: Meta, tables: readonly Table[], pagesMax: number): void {
    const { pageBytes, lastPage, transaction } = meta;
    const pages = Math.min(lastPage + 1, Math.floor(this.size / pageBytes));
    const sets = { used: new PageSet(pages), free: new PageSet(lastPage + 1) };
    const walk: Walk = { pageBytes, pages, lastPage, transaction, lastFreed: 0n, ...sets };
    const all: Table[] = [];
    let level: Step[] = [];
    const lead = (table: Table, next: Step[]): void => {
      all.push(table);
      if (table.root !== undefined) next.push({ page: table.root, table });
    };
    for (const table of tables) lead(table, level);
    let looked = 0;
    for (let depth = 0; level.length > 0; depth++) {
      if (depth > DEPTH_MAX) throw this.damaged('its pages refer to each other in a circle');
      const next: Step[] = [];
      for (const step of level) {
        if (looked++ >= pagesMax) return;
        this.use(walk, step.page, 1);
        this.page(step, walk, next, lead);
      }
      level = next;
    }
    if (all.some(({ entries, found }) => entries !== found)) {
      throw this.damaged('rows of a table are missing');
    }
    const both = walk.used.firstIn(walk.free);
    if (both !== undefined) throw this.damaged(`page ${both} is in use, and listed as free`);
  }

  private use({ pages, used }: Walk, first: number, count: number): void {
    if (first < META_PAGES || first + count > pages) {
      throw this.damaged(`page ${first + count - 1} is beyond its end`);
    }
    for (let page = first; page < first + count; page++) {
      if (!used.add(page)) throw this.damaged(`page ${page} is referred to twice`);
    }
  }

  /** Checks a page, and collects the pages to which it refers. */
  private page(
    { page, table }: Step,
    walk: Walk,
    next: Step[],
    lead: (table: Table, next: Step[]) => void,
  ): void {
    const { pageBytes } = walk;
    const { tree } = table;
    const bytes = this.read(page * pageBytes, pageBytes);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const wrong = (): Error => this.damaged(`page ${page} has unexpected content`);
    const kind = view.getUint16(18, true);
    if (!isHead(view, page, walk) || (kind !== BRANCH && kind !== LEAF)) throw wrong();
    const room = pageBytes - HEADER_BYTES;
    const [lower, upper] = [view.getUint16(20, true), view.getUint16(22, true)];
    if (lower % 2 !== 0 || lower > upper || upper > room || (kind === BRANCH && lower < 4)) {
      throw wrong();
    }
    for (let at = 0; at < lower; at += 2) {
      const node = view.getUint16(HEADER_BYTES + at, true);
      if (node < upper || node + NODE_HEADER_BYTES > room) throw wrong();
      const start = HEADER_BYTES + node;
      const low = view.getUint16(start, true) + view.getUint16(start + 2, true) * 2 ** 16;
      const flags = view.getUint16(start + 4, true);
      const keyBytes = view.getUint16(start + 6, true);
      const data = start + NODE_HEADER_BYTES + keyBytes;
      // The first key of a branch may be omitted.
      if (keyBytes === 0 && (kind === LEAF || at > 0)) throw wrong();
      if (kind === BRANCH) {
        if (data > pageBytes) throw wrong();
        next.push({ page: low + flags * 2 ** 32, table });
        continue;
      }
      table.found++;
      const allowed = tree === 'tables' ? [IS_TABLE] : [0, IS_OVERFLOW];
      const size = flags === IS_OVERFLOW ? OVERFLOW_BYTES : low;
      if (!allowed.includes(flags) || data + size > pageBytes) throw wrong();
      if (tree === 'tables') {
        if (size !== DB_BYTES || !isTable(view, data, 0)) throw wrong();
        lead(tableAt(view, data, 'rows'), next);
        continue;
      }
      const content =
        flags === IS_OVERFLOW
          ? this.overflow(view, data, low, tree, walk)
          : bytes.subarray(data, data + size);
      if (tree !== 'free pages') continue;
      const freedIn = keyBytes === 8 ? view.getBigUint64(start + NODE_HEADER_BYTES, true) : 0n;
      if (freedIn <= walk.lastFreed || freedIn > walk.transaction) throw wrong();
      walk.lastFreed = freedIn;
      this.freePages(content, walk, wrong);
    }
  }

  /** Checks a value on separate pages; its bytes are read only for the list of free pages. */
  private overflow(view: DataView, data: number, size: number, tree: Tree, walk: Walk): Uint8Array {
    const first = Number(view.getBigUint64(data, true));
    const count = Math.ceil((HEADER_BYTES + size) / walk.pageBytes);
    this.use(walk, first, count);
    const head = this.read(first * walk.pageBytes, HEADER_BYTES);
    const headView = new DataView(head.buffer, head.byteOffset, head.length);
    const isOne =
      isHead(headView, first, walk) &&
      headView.getUint16(18, true) === OVERFLOW &&
      headView.getUint32(20, true) >= count &&
      Number(view.getBigUint64(data + 16, true)) >= count &&
      view.getBigUint64(data + 8, true) <= walk.transaction;
    if (!isOne) throw this.damaged(`page ${first} has unexpected content`);
    return tree === 'free pages' ? this.read(first * walk.pageBytes + HEADER_BYTES, size) : head;
  }

  /**
   * The list is a count, then page numbers, 0 for none; a negative number is the length of the run
   * that begins at the next page number.
   */
  private freePages(content: Uint8Array, { lastPage, free }: Walk, wrong: () => Error): void {
    if (content.length % 8 !== 0 || content.length === 0) throw wrong();
    const view = new DataView(content.buffer, content.byteOffset, content.length);
    if (view.getBigUint64(0, true) > BigInt(content.length / 8 - 1)) throw wrong();
    let run = 1;
    for (let at = 8; at < content.length; at += 8) {
      const entry = Number(view.getBigInt64(at, true));
      if (entry < 0) {
        run = -entry;
        continue;
      }
      if (entry !== 0 && (entry < META_PAGES || entry + run - 1 > lastPage)) throw wrong();
      if (entry !== 0) this.free(entry, run, free);
      run = 1;
    }
  }

  private free(first: number, count: number, free: PageSet): void {
    for (let page = first; page < first + count; page++) {
      if (!free.add(page)) throw this.damaged(`page ${page} is listed as free twice`);
    }
  }

  private read(at: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.descriptor, bytes, done, length - done, at + done);
      if (count === 0) throw this.damaged('it ends too early');
      done += count;
    }
    return bytes;
  }

  private damaged(why: string): Error {
    return fail('STORAGE_DAMAGED', `${this.path} is damaged: ${why}`, {
      data: { file: this.path },
    });
  }
}

class PageSet {
  private readonly bits: Uint8Array;

  constructor(pages: number) {
    this.bits = new Uint8Array(Math.ceil(pages / 8));
  }

  /** False: the page was already in the set. */
  add(page: number): boolean {
    if (this.has(page)) return false;
    this.bits[page >> 3]! |= 1 << (page & 7);
    return true;
  }

  has(page: number): boolean {
    return (this.bits[page >> 3]! & (1 << (page & 7))) !== 0;
  }

  /** The first page that is in both sets. */
  firstIn(other: PageSet): number | undefined {
    const at = this.bits.findIndex((bits, i) => (bits & (other.bits[i] ?? 0)) !== 0);
    if (at < 0) return undefined;
    const both = this.bits[at]! & other.bits[at]!;
    return 8 * at + 31 - Math.clz32(both & -both);
  }
}

/** Whether it is the header of the right page, written by a committed transaction. */
function isHead(view: DataView, page: number, { transaction }: Walk): boolean {
  return Number(view.getBigUint64(0, true)) === page && view.getBigUint64(8, true) <= transaction;
}

/** Whether it is the description of a table with only the flags that we use. */
function isTable(view: DataView, at: number, flags: number): boolean {
  return view.getUint16(at + 4, true) === flags && view.getUint16(at + 6, true) <= DEPTH_MAX;
}

/** A page number with all bits set: the table is empty. */
function tableAt(view: DataView, at: number, tree: Tree): Table {
  const root = view.getBigUint64(at + 40, true);
  return {
    tree,
    root: root === 0xffff_ffff_ffff_ffffn ? undefined : Number(root),
    entries: Number(view.getBigUint64(at + 32, true)),
    found: 0,
  };
}
