/** Counts bytes read from and written to a node's index and block log, and measures their sizes. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Kv, KvWriter, LogFile, LogFolder } from '../../core/base/ports.ts';

export class DiskUse {
  read = 0;
  written = 0;
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Total bytes of the folder's files. */
  get size(): number {
    return readdirSync(this.folder)
      .map((name) => statSync(join(this.folder, name), { throwIfNoEntry: false })?.size ?? 0)
      .reduce((sum, size) => sum + size, 0);
  }
}

/** Counts rows of an index as they are read and written. */
export function countedKv(kv: Kv, use: DiskUse): Kv {
  const sizeOf = (row: readonly [Uint8Array, Uint8Array]) => row[0].length + row[1].length;
  function* counted(rows: ReturnType<Kv['range']>): ReturnType<Kv['range']> {
    for (const row of rows) {
      use.read += sizeOf(row);
      yield row;
    }
  }
  const read = (key: Uint8Array, value: Uint8Array | undefined) => {
    use.read += key.length + (value?.length ?? 0);
    return value;
  };
  return {
    get: (table, key) => read(key, kv.get(table, key)),
    view: (table, key) => read(key, kv.view(table, key)),
    range: (table, from, to) => counted(kv.range(table, from, to)),
    rangeReverse: (table, from, to) => counted(kv.rangeReverse(table, from, to)),
    commit: (fill) => kv.commit((writer) => fill(countedWriter(writer, use))),
    close: () => kv.close(),
  };
}

function countedWriter(writer: KvWriter, use: DiskUse): KvWriter {
  return {
    put(table, key, value) {
      use.written += key.length + value.length;
      writer.put(table, key, value);
    },
    delete(table, key) {
      use.written += key.length;
      writer.delete(table, key);
    },
  };
}

export function countedLog(folder: LogFolder, use: DiskUse): LogFolder {
  return {
    segments: () => folder.segments(),
    open: (segment) => countedFile(folder.open(segment), use),
    remove: (segment) => folder.remove(segment),
  };
}

function countedFile(file: LogFile, use: DiskUse): LogFile {
  return {
    size: () => file.size(),
    append(bytes) {
      const at = file.append(bytes);
      use.written += bytes.length;
      return at;
    },
    sync: () => file.sync(),
    read(at, length) {
      const bytes = file.read(at, length);
      use.read += bytes.length;
      return bytes;
    },
    truncate: (size) => file.truncate(size),
    close: () => file.close(),
  };
}
