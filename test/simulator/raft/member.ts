/**
 * One member: the production protocol and store, on a disk that can tear writes, and a state
 * machine that hashes.
 */
import { concatBytes } from '../../../src/core/base/bytes.ts';
import { bareHex } from '../../../src/core/base/hex.ts';
import { keccak256 } from '../../../src/core/base/keccak.ts';
import type { LogFolder } from '../../../src/core/base/ports.ts';
import { Prng } from '../../../src/core/base/prng.ts';
import {
  CONF_CHANGE,
  type ConfChange,
  decodeConfChange,
  decodeMessage,
  ENTRY_TYPE,
  type Entry,
  encodeMessage,
  type RaftMessage,
  type Snapshot,
} from '../../../src/core/consensus/raft/messages.ts';
import {
  bootstrapEntries,
  Raft,
  type RaftInput,
  type Ready,
} from '../../../src/core/consensus/raft/raft.ts';
import { RaftStore } from '../../../src/core/store/raft-store.ts';
import { MemoryDisk } from '../../../src/io/storage/memory.ts';
import type { RaftCheckers } from './checkers.ts';

export interface MemberHost {
  readonly checkers: RaftCheckers;
  /**
   * The initial members of the cluster, as encoded changes; empty for a member that joins later.
   */
  readonly bootstrap: readonly Uint8Array[];
  readonly snapshotPeriod: number;
  readonly diskMsMax: number;
  plant(raft: Raft): void;
  readonly isUnsynced: boolean;
  after(delayMs: number, run: () => Promise<void>): void;
  send(from: number, to: number, bytes: Uint8Array, message: RaftMessage): void;
  crashed(member: Member): void;
  trace(line: string): void;
}

export class Member {
  readonly id: number;
  readonly disk: MemoryDisk;
  raft: Raft | undefined;
  isRemoved = false;
  applied = 0;
  digest: Uint8Array = new Uint8Array(32);
  /** Ids of removed members, which are never reused, as in a node's applier. */
  private gone = new Set<number>();
  private readonly host: MemberHost;
  private readonly chance: Prng;
  private store: RaftStore | undefined;
  private mailbox: RaftInput[] = [];
  private isBusy = false;
  private life = 0;
  private snapshotIndex = 0;

  constructor(id: number, seed: number, host: MemberHost) {
    this.id = id;
    this.host = host;
    this.chance = new Prng(seed);
    this.disk = new MemoryDisk(new Prng(seed + 1));
  }

  get isUp(): boolean {
    return this.raft !== undefined;
  }

  async start(): Promise<void> {
    if (this.raft || this.isRemoved) return;
    const { host } = this;
    const { life } = this;
    try {
      const store = await RaftStore.open(this.folder());
      if (store.contents.entries.length === 0 && host.bootstrap.length > 0 && isBlank(store)) {
        await store.save(bootstrapEntries(host.bootstrap));
      }
      if (life !== this.life) return;
      const { hardState, snapshot, entries } = store.contents;
      this.store = store;
      this.restore(snapshot);
      this.raft = new Raft({ id: this.id, hardState, snapshot, entries, chance: this.chance });
      host.plant(this.raft);
      host.trace(`${this.id} starts at term ${hardState.term}, applied ${this.applied}`);
      await this.pump();
    } catch (error) {
      this.fail(error);
    }
  }

  private folder(): LogFolder {
    const folder = this.disk.log('raft');
    if (!this.host.isUnsynced) return folder;
    const open = (segment: number) => Object.assign(folder.open(segment), { sync: async () => {} });
    return { ...folder, open };
  }

  crash(): void {
    if (!this.raft) return;
    this.life++;
    this.raft = undefined;
    this.store = undefined;
    this.mailbox = [];
    this.isBusy = false;
    this.disk.crash();
    this.host.crashed(this);
  }

  /** Tears the next write and crashes the machine with it. */
  crashInNextWrite(): void {
    this.disk.failAt(this.disk.operations, 'crash');
  }

  receive(bytes: Uint8Array): Promise<void> {
    return this.input({ kind: 'message', message: decodeMessage(bytes.slice()) });
  }

  async input(input: RaftInput): Promise<void> {
    if (!this.raft) return;
    this.mailbox.push(input);
    await this.pump();
  }

  private async pump(): Promise<void> {
    const { raft, host } = this;
    if (!raft || this.isBusy) return;
    for (const input of this.mailbox.splice(0)) raft.step(input);
    host.checkers.observe(raft);
    const ready = raft.ready();
    if (!ready) return;
    if (ready.fault !== undefined)
      throw new Error(`a healthy cluster sent an invalid message: ${ready.fault}`);
    this.isBusy = true;
    const { life } = this;
    host.after(this.chance.below(host.diskMsMax), async () => {
      if (life !== this.life) return;
      try {
        await this.carryOut(raft, ready);
      } catch (error) {
        this.fail(error);
        return;
      }
      if (life !== this.life) return;
      this.isBusy = false;
      await this.pump();
    });
  }

  private async carryOut(raft: Raft, ready: Ready): Promise<void> {
    const { host } = this;
    const store = this.store!;
    await store.save(ready);
    host.checkers.wrote(raft, ready.entries);
    if (ready.snapshot) this.restore(ready.snapshot);
    raft.advance(ready);
    for (const message of ready.messages) {
      host.send(this.id, message.to, encodeMessage(message), message);
    }
    for (const entry of ready.committed) this.apply(raft, entry);
    if (this.applied - this.snapshotIndex >= host.snapshotPeriod) await this.compact(raft, store);
    if (this.isRemoved) this.crash();
  }

  private apply(raft: Raft, entry: Entry): void {
    this.host.checkers.applies(this.id, entry);
    if (entry.index !== this.applied + 1) throw new Error(`${this.id} skips to ${entry.index}`);
    this.applied = entry.index;
    this.digest = keccak256(concatBytes(this.digest, entry.data));
    if (entry.type === ENTRY_TYPE.confChange) {
      this.applyChange(raft, decodeConfChange(entry.data));
    }
    raft.applied(entry.index);
  }

  private applyChange(raft: Raft, change: ConfChange): void {
    const { type, nodeId } = change;
    if (this.gone.has(nodeId)) return;
    raft.applyConfChange(change);
    this.host.trace(`${this.id} applies ${JSON.stringify(change)}`);
    if (type !== CONF_CHANGE.removeNode) return;
    this.gone.add(nodeId);
    this.isRemoved ||= nodeId === this.id;
  }

  private async compact(raft: Raft, store: RaftStore): Promise<void> {
    const index = new Uint8Array(8);
    new DataView(index.buffer).setFloat64(0, this.applied);
    const state = concatBytes(index, this.digest, Uint8Array.from(this.gone));
    const { snapshot, firstKept } = raft.compact(this.applied, state);
    this.snapshotIndex = this.applied;
    await store.compact(snapshot, firstKept);
  }

  private restore(snapshot: Snapshot): void {
    this.snapshotIndex = snapshot.index;
    this.applied = snapshot.index;
    this.digest = new Uint8Array(32);
    this.gone.clear();
    if (snapshot.index === 0) return;
    const view = new DataView(snapshot.data.slice().buffer);
    if (view.getFloat64(0) !== snapshot.index) throw new Error('a snapshot of another index');
    this.digest = snapshot.data.slice(8, 40);
    this.gone = new Set(snapshot.data.subarray(40));
    this.host.trace(`${this.id} at snapshot ${snapshot.index} ${bareHex(this.digest).slice(0, 8)}`);
  }

  private fail(error: unknown): void {
    if ((error as { code?: string }).code !== 'STORAGE_CRASHED') throw error;
    this.host.trace(`${this.id} tears a write`);
    if (this.raft) this.crash();
    else this.disk.crash();
  }
}

function isBlank({ contents }: RaftStore): boolean {
  return contents.snapshot.index === 0 && contents.hardState.term === 0;
}
