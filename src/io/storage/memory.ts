/**
 * A disk in memory behind the storage ports, with the faults of a real one: torn writes at any
 * byte, unsynced bytes lost in a crash, a full disk, a failing sync. Deterministic: random choices
 * come from the caller's Prng.
 */
import { concatBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import type { Kv, LogFile, LogFolder, SlotFile } from '../../core/base/ports.ts';
import type { Prng } from '../../core/base/prng.ts';
import { type KvTables, MemoryKv } from './memory-kv.ts';

export type DiskFault = 'crash' | 'full' | 'io';

type Strike = (half: () => void) => void;

interface MemoryFile {
  bytes: Uint8Array;
  size: number;
  /** Number of bytes that survive any crash. */
  synced: number;
}

export class MemoryDisk {
  private readonly logs = new Map<string, Map<number, MemoryFile>>();
  private readonly slotFiles = new Map<string, Map<number, Uint8Array>>();
  private readonly tables = new Map<string, KvTables>();
  private readonly chance: Prng | undefined;
  /** Number of writes, syncs and commits so far: a fault can occur at each of them. */
  operations = 0;
  private fault: { at: number; kind: DiskFault } | undefined;
  private down = false;
  /**
   * Number of crashes so far: files opened before the last one no longer write, as those of a
   * process that has ended.
   */
  private crashes = 0;

  constructor(chance?: Prng) {
    this.chance = chance;
  }

  /**
   * Makes the operation with this number (as `operations` counts, from 0) fail in this way. A crash
   * also stops everything after it.
   */
  failAt(operation: number, kind: DiskFault): void {
    this.fault = { at: operation, kind };
  }

  /**
   * Simulates a power loss now: unsynced bytes survive up to a random byte. The disk can be opened
   * again.
   */
  crash(): void {
    for (const folder of this.logs.values()) {
      for (const file of folder.values()) {
        const unsynced = file.size - file.synced;
        file.size = file.synced + (unsynced > 0 ? this.below(unsynced + 1) : 0);
        file.synced = file.size;
      }
    }
    this.fault = undefined;
    this.down = false;
    this.crashes++;
  }

  log(name: string): LogFolder {
    const files = this.logs.get(name) ?? new Map<number, MemoryFile>();
    this.logs.set(name, files);
    const strike = this.admit();
    return {
      segments: () => [...files.keys()].sort((a, b) => a - b),
      open: (segment) => {
        const file = files.get(segment) ?? { bytes: new Uint8Array(1024), size: 0, synced: 0 };
        files.set(segment, file);
        return new MemoryLogFile(file, this, strike);
      },
      remove: (segment) => {
        strike(() => {});
        files.delete(segment);
      },
    };
  }

  slots(name: string): SlotFile {
    const slots = this.slotFiles.get(name) ?? new Map<number, Uint8Array>();
    this.slotFiles.set(name, slots);
    const strike = this.admit();
    return {
      read: (slot) => slots.get(slot),
      write: async (slot, parts) => {
        const bytes = concatBytes(...parts);
        strike(() => {
          const old = slots.get(slot) ?? new Uint8Array(0);
          const torn = new Uint8Array(Math.max(old.length, bytes.length));
          torn.set(old);
          torn.set(bytes.subarray(0, this.below(bytes.length + 1)));
          slots.set(slot, torn);
        });
        slots.set(slot, bytes);
      },
      writeUnsynced: (slot, bytes) => {
        slots.set(slot, bytes.slice());
      },
      close: () => {},
    };
  }

  /** Loses a file of slots, as if it was deleted. */
  dropSlots(name: string): void {
    this.slotFiles.delete(name);
  }

  kv(name: string): Kv {
    const tables = this.tables.get(name) ?? new Map();
    this.tables.set(name, tables);
    const strike = this.admit();
    return new MemoryKv(tables, async (apply) => {
      // A crash in a transaction leaves all of it or nothing.
      strike(() => {
        if (this.below(2) === 1) apply();
      });
      apply();
    });
  }

  /** Loses a table store, as if its folder was deleted. */
  dropKv(name: string): void {
    this.tables.delete(name);
  }

  /** Inverts one byte of a segment, like bit rot. */
  flipByte(name: string, segment: number, at: number): void {
    const file = this.logs.get(name)!.get(segment)!;
    file.bytes[at] = file.bytes[at]! ^ 0xff;
  }

  /** The check of faults for a file or table that is opened now. */
  private admit(): Strike {
    const { crashes } = this;
    return (half) => this.strike(half, crashes);
  }

  /** Called at each operation; `half` does the part of it that a crash in the middle leaves. */
  private strike(half: () => void, crashes: number): void {
    if (this.down || crashes !== this.crashes)
      throw fail('STORAGE_CRASHED', 'the simulated machine is down');
    const number = this.operations++;
    if (this.fault?.at !== number) return;
    const { kind } = this.fault;
    this.fault = undefined;
    if (kind === 'crash') {
      half();
      this.down = true;
      throw fail('STORAGE_CRASHED', 'the simulated machine went down');
    }
    if (kind === 'full') throw fail('STORAGE_FULL', 'no space left on device (simulated)');
    throw fail('STORAGE_IO', 'input/output error (simulated)');
  }

  below(bound: number): number {
    return this.chance ? this.chance.below(bound) : 0;
  }
}

class MemoryLogFile implements LogFile {
  private readonly file: MemoryFile;
  private readonly disk: MemoryDisk;
  private readonly strike: Strike;

  constructor(file: MemoryFile, disk: MemoryDisk, strike: Strike) {
    this.file = file;
    this.disk = disk;
    this.strike = strike;
  }

  size(): number {
    return this.file.size;
  }

  append(bytes: Uint8Array): number {
    this.strike(() => this.write(bytes.subarray(0, this.disk.below(bytes.length + 1))));
    return this.write(bytes);
  }

  async sync(): Promise<void> {
    const { size } = this.file;
    this.strike(() => {});
    this.file.synced = Math.max(this.file.synced, Math.min(size, this.file.size));
  }

  read(at: number, length: number): Uint8Array {
    return this.file.bytes.slice(at, Math.min(this.file.size, at + length));
  }

  truncate(size: number): void {
    this.file.size = Math.min(this.file.size, size);
    this.file.synced = Math.min(this.file.synced, size);
  }

  close(): void {}

  private write(bytes: Uint8Array): number {
    const { file } = this;
    const at = file.size;
    if (at + bytes.length > file.bytes.length) {
      const grown = new Uint8Array(Math.max(at + bytes.length, file.bytes.length * 2));
      grown.set(file.bytes.subarray(0, at));
      file.bytes = grown;
    }
    file.bytes.set(bytes, at);
    file.size = at + bytes.length;
    return at;
  }
}
