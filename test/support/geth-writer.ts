/**
 * Writes a chain of ours as GoQuorum keeps it: the oldest blocks in an ancient store, the others
 * and the newest state in LevelDB (GoQuorum 24.4.1 core/rawdb/schema.go, freezer_table.go).
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { concatBytes, type Hash32 } from '../../src/core/base/bytes.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import type { Kv } from '../../src/core/base/ports.ts';
import { numberToUint64 } from '../../src/core/base/quantity.ts';
import { RlpReader, RlpWriter } from '../../src/core/base/rlp.ts';
import { encodeBody } from '../../src/core/chain/block.ts';
import { encodeHeader } from '../../src/core/chain/header.ts';
import { encodeReceipt, type Receipt } from '../../src/core/chain/receipt.ts';
import type { ChainStore } from '../../src/core/store/chain-store.ts';
import { afterPrefix, TABLE } from '../../src/core/store/keys.ts';
import { snappyEncode } from '../../src/core/wire/snappy.ts';

interface Written {
  readonly store: ChainStore;
  readonly kv: Kv;
  /** JSON of the chain's configuration. */
  readonly config: string;
  /** Blocks below are in the ancient store. */
  readonly frozen: number;
}

/**
 * `folder` becomes what `--datadir` names. The index must be at the head; private states are left
 * out.
 */
export async function writeGethFolder(folder: string, written: Written): Promise<void> {
  const { store, kv, config, frozen } = written;
  const chaindata = join(folder, 'geth/chaindata');
  mkdirSync(join(chaindata, 'ancient'), { recursive: true });
  const level = new ClassicLevel<Uint8Array, Uint8Array>(chaindata, {
    keyEncoding: 'view',
    valueEncoding: 'view',
  });
  await level.open();
  const freezer = new Freezer(join(chaindata, 'ancient'));
  const head = store.head()!;
  for (let number = 0; number <= head.number; number++) {
    const block = store.block(number)!;
    const { hash } = block;
    const parts = {
      headers: encodeHeader(block.header),
      bodies: encodeBody(block),
      receipts: storedReceipts(store.receipts(number)!),
    };
    const batch = level.batch();
    batch.put(key('H', hash), numberToUint64(number));
    if (number < frozen) freezer.append({ ...parts, hashes: hash });
    // Geth leaves block 0 in LevelDB too.
    if (number >= frozen || number === 0) {
      batch.put(key('h', numberToUint64(number), text('n')), hash);
      batch.put(key('h', numberToUint64(number), hash), parts.headers);
      batch.put(key('b', numberToUint64(number), hash), parts.bodies);
      batch.put(key('r', numberToUint64(number), hash), parts.receipts);
    }
    await batch.write();
  }
  freezer.close();
  await writeState(level, kv);
  await level.put(text('LastBlock'), head.hash);
  await level.put(key('ethereum-config-', store.hashOf(0)!), text(config));
  await level.close();
}

/** Every node and every code that the index holds, by its hash. */
async function writeState(level: ClassicLevel<Uint8Array, Uint8Array>, kv: Kv): Promise<void> {
  let batch = level.batch();
  const all = new Uint8Array(0);
  for (const [, rlp] of kv.range(TABLE.nodes, all, afterPrefix(all))) {
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

/** Status, gas, logs. */
function storedReceipts(receipts: readonly Receipt[]): Uint8Array {
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

type Item = Readonly<Record<'headers' | 'hashes' | 'bodies' | 'receipts', Uint8Array>>;

/** One data file a table. */
class Freezer {
  private readonly tables;

  constructor(folder: string) {
    const open = (name: keyof Item, isPacked: boolean) => {
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

  append(item: Item): void {
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

/** Of file 0. */
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
