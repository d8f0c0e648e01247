import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endsWithTest } from '../../../test/support/ends-with-test.ts';
import { compareBytes, equalBytes } from '../../core/base/bytes.ts';
import type { Kv, KvWriter, LogFolder } from '../../core/base/ports.ts';
import { Prng } from '../../core/base/prng.ts';
import { openDataFolder } from './data-folder.ts';
import { lockDirectory } from './directory-lock.ts';
import { openLmdbKv } from './lmdb-kv.ts';
import { MemoryDisk } from './memory.ts';
import { MemoryKv } from './memory-kv.ts';
import { nodeLogFolder } from './node-log-file.ts';
import { openSlotFile } from './slot-file.ts';
import { storageError } from './system-error.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-storage-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inThread = () => ({ path: folder, tables: ['a', 'b'], writesInThread: true });
const key = (...bytes: number[]) => Uint8Array.from(bytes);

describe.each([
  ['memory', () => new MemoryKv() as Kv],
  ['lmdb', () => openLmdbKv({ path: folder, tables: ['a', 'b'] })],
  ['lmdb, written by a thread', () => openLmdbKv(inThread())],
])('kv: %s', (_name, open) => {
  it('keeps tables apart, orders keys as bytes, walks both ways', async () => {
    const kv = open();
    const chance = new Prng(1);
    const keys = Array.from({ length: 300 }, () =>
      Uint8Array.from({ length: 1 + chance.below(40) }, () => chance.below(256)),
    );
    await kv.commit(function* (writer) {
      for (const k of keys) {
        writer.put('a', k, k);
        yield;
      }
      writer.put('b', key(1), key());
    });
    expect(kv.get('a', keys[7]!)).toEqual(keys[7]);
    expect(kv.get('b', key(1))).toEqual(key());
    expect(kv.get('b', keys[7]!)).toBeUndefined();
    expect(kv.view('a', keys[7]!)).toEqual(keys[7]);
    expect(kv.view('b', keys[7]!)).toBeUndefined();
    const sorted = [...new Map(keys.map((k) => [k.join(), k])).values()].sort(compareBytes);
    for (let i = 0; i < 40; i++) {
      const [low, high] = [keys[chance.below(300)]!, keys[chance.below(300)]!].sort(compareBytes);
      const inside = sorted.filter((k) => compareBytes(k, low!) >= 0 && compareBytes(k, high!) < 0);
      expect([...kv.range('a', low!, high!)].map(([k]) => k)).toEqual(inside);
      const down = sorted
        .filter((k) => compareBytes(k, low!) > 0 && compareBytes(k, high!) <= 0)
        .reverse();
      expect([...kv.rangeReverse('a', high!, low!)].map(([k]) => k)).toEqual(down);
    }
    await kv.commit(function* (writer) {
      writer.delete('a', keys[7]!);
      writer.delete('a', key(9, 9, 9, 9));
      yield;
    });
    expect(kv.get('a', keys[7]!)).toBeUndefined();
    await kv.close();
  });

  it('shows short and long rows without a copy, until the next read', async () => {
    const kv = open();
    const rows = [0, 1, 300, 70_000, 3_000_000].map((length) =>
      new Uint8Array(length).fill(length),
    );
    await kv.commit(function* (writer) {
      for (const [at, row] of rows.entries()) writer.put('a', key(at), row);
      yield;
    });
    const kept = rows.map((_, at) => kv.view('a', key(at))!.slice());
    expect(kept.map(({ length }) => length)).toEqual(rows.map(({ length }) => length));
    for (const [at, row] of kept.entries()) expect(equalBytes(row, rows[at]!)).toBe(true);
    await kv.close();
  });

  it('shows nothing of a commit until it is whole', async () => {
    const kv = open();
    await kv.commit(function* (writer) {
      writer.put('a', key(1), key(1));
      yield;
    });
    const seen = new Set<string>();
    await kv.commit(function* (writer) {
      for (let i = 0; i < 5; i++) {
        writer.put('a', key(1), key(2));
        writer.put('a', key(2), key(2));
        yield;
        seen.add(`${kv.get('a', key(1))} ${kv.get('a', key(2))}`);
        seen.add(String([...kv.range('a', key(0), key(9))].length));
      }
    });
    expect([...seen]).toEqual(['1 undefined', '1']);
    expect(kv.get('a', key(1))).toEqual(key(2));
    await kv.close();
  });

  it('keeps nothing of a commit whose filling throws', async () => {
    const kv = open();
    const run = kv.commit(function* (writer) {
      writer.put('a', key(1), key(1));
      yield;
      throw new Error('filling failed');
    });
    await expect(run).rejects.toThrow(/filling failed/);
    expect(kv.get('a', key(1))).toBeUndefined();
    await kv.close();
  });
});

describe('lmdb', () => {
  it('makes one commit after the other, also where one begins while another is being filled', async () => {
    const kv = openLmdbKv({ path: folder, tables: ['a', 'b'] });
    /** Takes long enough that the event loop runs in between. */
    const slice = () => {
      const endMs = performance.now() + 3;
      while (performance.now() < endMs);
    };
    let second: Promise<void> | undefined;
    let third: Promise<void> | undefined;
    const first = kv.commit(function* (writer) {
      for (let i = 0; i < 4; i++) {
        writer.put('a', key(i), key(1));
        slice();
        yield;
        second ??= kv.commit(function* (rows) {
          for (let j = 0; j < 8; j++) {
            rows.put('b', key(j), key(2));
            slice();
            yield;
          }
          throw new Error('its filling fails');
        });
        third ??= kv.commit(function* (rows) {
          rows.put('b', key(9), key(3));
          yield;
        });
      }
    });
    await first;
    await expect(second).rejects.toThrow('its filling fails');
    await third;
    expect(kv.get('a', key(3))).toEqual(key(1));
    expect(kv.get('b', key(1))).toBeUndefined();
    expect(kv.get('b', key(9))).toEqual(key(3));
    await kv.close();
  });

  it('writes all rows of a long commit or none', async () => {
    const kv = openLmdbKv({ path: folder, tables: ['a'] });
    const rows = (count: number, value: number) =>
      function* (writer: KvWriter) {
        for (let i = 0; i < count; i++) {
          writer.put('a', key(i >> 8, i & 0xff), key(value));
          yield;
        }
      };
    await expect(
      kv.commit(function* (writer) {
        yield* rows(5_000, 1)(writer);
        throw new Error('its filling fails');
      }),
    ).rejects.toThrow('its filling fails');
    expect(kv.count('a')).toBe(0);
    await kv.commit(rows(5_000, 2));
    expect(kv.count('a')).toBe(5_000);
    expect(kv.get('a', key(4_999 >> 8, 4_999 & 0xff))).toEqual(key(2));
    await kv.close();
  });

  it.each([
    ['this thread', false],
    ['one of its own', true],
  ])('writes more pages than lmdb keeps in memory, from %s', async (_, writesInThread) => {
    const kv = openLmdbKv({ path: folder, tables: ['a'], writesInThread });
    // The first commit is never made by the thread.
    await kv.commit(function* (writer) {
      writer.put('a', key(0, 0, 0), key(0));
      yield;
    });
    const count = 135_000;
    // Each on a page of its own.
    const value = new Uint8Array(2_100);
    await kv.commit(function* (writer) {
      for (let i = 0; i < count; i++) {
        value[0] = i & 0xff;
        writer.put('a', key(i >> 16, i >> 8, i & 0xff), value);
        yield;
      }
    });
    expect(kv.count('a')).toBe(count);
    for (let i = 0; i < count; i += 101) {
      expect(kv.get('a', key(i >> 16, i >> 8, i & 0xff))![0]).toBe(i & 0xff);
    }
    await kv.close();
  });

  it('keeps what it committed', async () => {
    const options = { path: folder, tables: ['a'] };
    const kv = openLmdbKv(options);
    await kv.commit(function* (writer) {
      writer.put('a', key(1), key(7));
      yield;
    });
    await kv.close();
    const again = openLmdbKv(options);
    expect(again.get('a', key(1))).toEqual(key(7));
    await again.close();
  });

  it.for([
    ['this thread', false],
    ['another one', true],
  ] as const)(
    'gives back the memory of rows that were read, where %s writes',
    async ([, writesInThread], { skip }) => {
      if (process.platform !== 'linux') skip('only Linux tells how much of a file is in memory');
      const kv = openLmdbKv({ path: folder, tables: ['a'], writesInThread });
      const row = new Uint8Array(1_000).fill(7);
      for (let part = 0; part < 8; part++) {
        await kv.commit(function* (writer) {
          for (let i = 0; i < 1_000; i++) writer.put('a', key(part, i >> 8, i & 0xff), row);
          yield;
        });
      }
      const readAll = () => [...kv.range('a', key(0), key(255))].length;
      expect(readAll()).toBe(8_000);
      expect(mappedBytes()).toBeGreaterThan(4_000_000);
      // Reads and commits continue meanwhile.
      let isReleased = false;
      const released = kv.release().then(() => {
        isReleased = true;
      });
      const committed = kv.commit(function* (writer) {
        writer.put('a', key(9), row);
        yield;
      });
      while (!isReleased) {
        expect(kv.get('a', key(3, 1, 1))).toEqual(row);
        await new Promise(setImmediate);
      }
      await released;
      expect(mappedBytes()).toBeLessThan(1_000_000);
      await committed;
      expect(readAll()).toBe(8_001);
      // A range that is being read still returns its rows.
      const range = kv.range('a', key(0), key(255))[Symbol.iterator]();
      range.next();
      await kv.release();
      expect(range.next().value![0]).toEqual(key(0, 0, 1));
      range.return?.();
      await kv.release();
      expect(mappedBytes()).toBeLessThan(1_000_000);
      expect(readAll()).toBe(8_001);
      await kv.close();
    },
  );
});

/** Number of bytes of the index file that are mapped in this process. */
function mappedBytes(): number {
  const maps = readFileSync('/proc/self/smaps', 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  return maps
    .filter((map) => map.includes(`${folder}/data.mdb`))
    .reduce((sum, map) => sum + 1_000 * Number(/^Rss:\s+(\d+)/m.exec(map)![1]), 0);
}

describe.each([
  ['memory', () => new MemoryDisk().log('x')],
  ['files', () => nodeLogFolder(join(folder, 'x'))],
])('log folder: %s', (_name, open: () => LogFolder) => {
  it('appends, reads, truncates and lists segments', async () => {
    const log = open();
    expect(log.segments()).toEqual([]);
    const file = log.open(3);
    expect(file.append(key(1, 2, 3))).toBe(0);
    expect(file.append(key(4, 5))).toBe(3);
    await file.sync();
    expect(file.read(1, 3)).toEqual(key(2, 3, 4));
    expect(file.read(4, 10)).toEqual(key(5));
    expect(file.read(9, 10)).toEqual(key());
    file.truncate(2);
    expect(file.size()).toBe(2);
    expect(file.append(key(9))).toBe(2);
    expect(file.read(0, 9)).toEqual(key(1, 2, 9));
    log.open(12).close();
    expect(log.segments()).toEqual([3, 12]);
    log.remove(3);
    expect(log.segments()).toEqual([12]);
    file.close();
  });
});

describe('files', () => {
  it('finds the log as it was left', async () => {
    const file = nodeLogFolder(folder).open(0);
    file.append(key(1, 2, 3));
    await file.sync();
    file.close();
    truncateSync(join(folder, '000000.log'), 2);
    expect(nodeLogFolder(folder).open(0).read(0, 9)).toEqual(key(1, 2));
  });

  it('keeps slots apart', async () => {
    const path = join(folder, 'votes');
    const file = await openSlotFile(path);
    expect(file.read(0)).toBeUndefined();
    await file.write(1, [key(1), key(2)]);
    await file.write(0, [key(7)]);
    file.close();
    const again = await openSlotFile(path);
    expect([again.read(0), again.read(1)]).toEqual([key(7), key(1, 2)]);
    again.close();
  });

  it('tells a full disk from a failing one', () => {
    const error = (code: string) => storageError(Object.assign(new Error('x'), { code }), 'f');
    expect(error('ENOSPC')).toMatchObject({ code: 'STORAGE_FULL' });
    expect(error('EIO')).toMatchObject({ code: 'STORAGE_IO' });
    expect(error('EACCES')).toMatchObject({ code: 'STORAGE_FAILED' });
  });
});

describe('data directory', () => {
  const HOLDER = `
    import { lockDirectory } from '${new URL('./directory-lock.ts', import.meta.url).href}';
    lockDirectory(process.argv[1]);
    process.stdout.write('locked');
    setInterval(() => {}, 1000);
  `;

  async function holder() {
    const child = endsWithTest(
      spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', HOLDER, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    await once(child.stdout!, 'data');
    return child;
  }

  it('belongs to one process; the second learns which; a dead owner does not count', async () => {
    const child = await holder();
    try {
      expect(() => lockDirectory(folder)).toThrow(`is in use by process ${child.pid}`);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const release = lockDirectory(folder);
    release();
    expect(existsSync(join(folder, 'LOCK'))).toBe(false);
  });

  it('takes over a lock whose pid now belongs to another program, and a torn one', () => {
    writeFileSync(join(folder, 'LOCK'), `${process.pid} 1\n`);
    lockDirectory(folder)();
    writeFileSync(join(folder, 'LOCK'), '');
    lockDirectory(folder)();
  });

  it('refuses a newer format and frees its lock', async () => {
    const data = await openDataFolder(folder);
    await data.kv.close();
    data.close();
    expect(readFileSync(join(folder, 'format'), 'utf8')).toBe('quorate data format 5\n');
    writeFileSync(join(folder, 'format'), 'quorate data format 8\n');
    await expect(openDataFolder(folder)).rejects.toMatchObject({ code: 'STORE_FORMAT_NEWER' });
    lockDirectory(folder)();
  });
});
