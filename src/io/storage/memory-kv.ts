/** Ordered tables in memory behind the Kv port, for tests, the simulator and temporary nodes. */
import { bytesOfKey, keyOf } from '../../core/base/bytes.ts';
import type { Kv, KvWriter } from '../../core/base/ports.ts';

interface Table {
  readonly rows: Map<string, Uint8Array>;
  /** Sorted keys; undefined after a change of the set of keys. */
  order: string[] | undefined;
}

export type KvTables = Map<string, Table>;

type Change = { table: string; key: string; value: Uint8Array | undefined };

/** `around` wraps the moment at which a commit becomes visible and durable, for fault injection. */
export class MemoryKv implements Kv {
  readonly tables: KvTables;
  private viewed: Uint8Array | undefined;
  private readonly around: (apply: () => void) => Promise<void>;

  constructor(
    tables: KvTables = new Map(),
    around: (apply: () => void) => Promise<void> = async (apply) => apply(),
  ) {
    this.tables = tables;
    this.around = around;
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    this.endView();
    return this.row(table, key);
  }

  /** Bytes that the next read overwrites, so that a test fails if they are kept. */
  view(table: string, key: Uint8Array): Uint8Array | undefined {
    this.endView();
    const row = this.row(table, key);
    this.viewed = row?.slice();
    return this.viewed;
  }

  *range(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
  ): Iterable<readonly [Uint8Array, Uint8Array]> {
    const rows = this.tables.get(table);
    if (!rows) return;
    const order = sorted(rows);
    const end = keyOf(to);
    for (let i = lowerBound(order, keyOf(from)); i < order.length && order[i]! < end; i++) {
      yield [bytesOfKey(order[i]!), rows.rows.get(order[i]!)!];
    }
  }

  *rangeReverse(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
  ): Iterable<readonly [Uint8Array, Uint8Array]> {
    const rows = this.tables.get(table);
    if (!rows) return;
    const order = sorted(rows);
    const start = keyOf(from);
    const end = keyOf(to);
    let i = lowerBound(order, start);
    if (order[i] !== start) i--;
    for (; i >= 0 && order[i]! > end; i--) {
      yield [bytesOfKey(order[i]!), rows.rows.get(order[i]!)!];
    }
  }

  async commit(fill: (writer: KvWriter) => Generator<void>): Promise<void> {
    const changes: Change[] = [];
    const writer: KvWriter = {
      put: (table, key, value) => changes.push({ table, key: keyOf(key), value: value.slice() }),
      delete: (table, key) => changes.push({ table, key: keyOf(key), value: undefined }),
    };
    for (const _ of fill(writer)) await Promise.resolve();
    await this.around(() => {
      for (const change of changes) applyChange(this.tables, change);
    });
  }

  async close(): Promise<void> {}

  private row(table: string, key: Uint8Array): Uint8Array | undefined {
    return this.tables.get(table)?.rows.get(keyOf(key));
  }

  private endView(): void {
    this.viewed?.fill(0xee);
    this.viewed = undefined;
  }
}

function applyChange(tables: KvTables, { table: name, key, value }: Change): void {
  let table = tables.get(name);
  if (!table) {
    table = { rows: new Map(), order: undefined };
    tables.set(name, table);
  }
  const isKnown = table.rows.has(key);
  if (value === undefined) table.rows.delete(key);
  else table.rows.set(key, value);
  if (isKnown !== (value !== undefined)) table.order = undefined;
}

function sorted(table: Table): string[] {
  table.order ??= [...table.rows.keys()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return table.order;
}

function lowerBound(order: readonly string[], key: string): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
