/**
 * Applies committed entries in order: blocks to the chain, membership changes, and periodic
 * snapshots.
 */
import type { Hash32 } from '../../../../core/base/bytes.ts';
import { fail, hasCode } from '../../../../core/base/errors.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import type { Log } from '../../../../core/base/ports.ts';
import { type Block, decodeBlock } from '../../../../core/chain/block.ts';
import { decodeAddress, decodeClusterSnapshot } from '../../../../core/consensus/raft/address.ts';
import type { Cluster } from '../../../../core/consensus/raft/cluster.ts';
import {
  CONF_CHANGE,
  type ConfChange,
  decodeConfChange,
  ENTRY_TYPE,
  type Entry,
  type Snapshot,
} from '../../../../core/consensus/raft/messages.ts';
import { SerialQueue } from '../../../../core/store/serial-queue.ts';
import type { Chain } from '../chain/chain.ts';
import type { Checkpoint } from '../chain/checkpoints.ts';
import type { RaftProtocol } from './raft-member.ts';

/** Number of entries applied between two snapshots. */
const SNAPSHOT_ENTRIES = 250;

export interface RaftApplierParts {
  readonly chain: Chain;
  readonly protocol: Pick<RaftProtocol, 'change' | 'applied' | 'compact'>;
  readonly cluster: Cluster;
  readonly log: Log;
  readonly snapshotIndex: number;
  readonly checkpoint: Checkpoint;
  /** `block` is committed but not on the chain: its parent is not the head. */
  refused(block: Block): void;
  /** The members have changed, by a snapshot or a configuration entry. */
  membersChanged(): void;
  /** This node is no longer a member. */
  removed(): void;
  /** Resolves with true when the chain has the block; with false if the node stops first. */
  obtain(hash: Hash32): Promise<boolean>;
  /** Entries have been applied. */
  applied(): void;
  fatal(error: unknown): void;
}

export class RaftApplier {
  private readonly parts: RaftApplierParts;
  private readonly queue = new SerialQueue();
  private snapshotIndex: number;
  /** Index of the last entry that a snapshot of the leader includes. */
  private overtaken = 0;
  /** Index of the last applied entry. */
  applied = 0;
  private isStopped = false;

  constructor(parts: RaftApplierParts) {
    this.parts = parts;
    this.snapshotIndex = parts.snapshotIndex;
  }

  stop(): void {
    this.isStopped = true;
  }

  apply(entries: readonly Entry[]): void {
    if (entries.length > 0) this.enqueue(() => this.applyAll(entries));
  }

  /**
   * Installs a snapshot from the leader, or from the last run: the members, and a block that the
   * chain must have first.
   */
  install(snapshot: Snapshot): void {
    this.overtaken = snapshot.index;
    this.enqueue(() => this.installNow(snapshot));
  }

  private enqueue(job: () => Promise<void>): void {
    this.queue
      .run(async () => {
        if (!this.isStopped) await job();
      })
      .catch((error: unknown) => {
        if (this.isStopped) return;
        this.isStopped = true;
        this.parts.fatal(error);
      });
  }

  private async installNow(snapshot: Snapshot): Promise<void> {
    const { cluster, chain, log } = this.parts;
    const { addresses, removedIds, headHash } = decodeClusterSnapshot(snapshot.data);
    cluster.replace(addresses, removedIds);
    this.parts.membersChanged();
    this.snapshotIndex = Math.max(this.snapshotIndex, snapshot.index);
    this.applied = Math.max(this.applied, snapshot.index);
    if (chain.has(headHash)) return;
    log('info', 'Fetching the chain up to the snapshot of the cluster', {
      index: snapshot.index,
      hash: bareHex(headHash).slice(0, 12),
    });
    if (await this.parts.obtain(headHash)) {
      log('info', 'Successfully extended chain', { hash: bareHex(headHash).slice(0, 12) });
    } else this.isStopped = true;
  }

  private async applyAll(entries: readonly Entry[]): Promise<void> {
    const { protocol } = this.parts;
    for (const entry of entries) {
      if (this.isStopped) return;
      // Entries before a newer snapshot are included in it.
      if (entry.index <= this.overtaken) continue;
      let hasNewcomer = false;
      if (entry.type === ENTRY_TYPE.confChange) hasNewcomer = this.applyChange(entry);
      else if (entry.data.length > 0) await this.applyBlock(entry);
      protocol.applied(entry.index);
      this.applied = entry.index;
      const isDue = entry.index - this.snapshotIndex >= SNAPSHOT_ENTRIES;
      // COMPAT: GoQuorum learns its own address only from a snapshot, and panics without one. So a
      // new member must not find entries from before its addition (GoQuorum raft/handler.go).
      if (isDue || hasNewcomer) this.takeSnapshot(entry.index, !hasNewcomer);
    }
    this.parts.applied();
  }

  private async applyBlock(entry: Entry): Promise<void> {
    const { chain, log, checkpoint } = this.parts;
    const block = this.decode(entry);
    if (!block) return;
    const head = chain.head();
    const hash = bareHex(block.hash);
    if (chain.has(block.hash)) {
      log('debug', 'not applying already-applied block', { 'block hash': hash });
      return;
    }
    const parent = bareHex(block.header.parentHash);
    if (parent !== bareHex(head.hash)) {
      log('info', 'Non-extending block', { block: hash, parent, head: bareHex(head.hash) });
      this.parts.refused(block);
      return;
    }
    for (const { hash: tx } of block.transactions) {
      checkpoint('TX-ACCEPTED', { tx: `0x${bareHex(tx)}` });
    }
    try {
      await chain.commit(block);
    } catch (error) {
      if (!hasCode(error, 'BLOCK_INVALID')) throw error;
      throw fail(
        'RAFT_BLOCK_INVALID',
        `failed to extend chain: ${error.message}. The cluster has committed this block, so going on would leave this node behind for good: its data is damaged, or its genesis file or version differs from that of the minter`,
        { cause: error },
      );
    }
    checkpoint('BLOCK-CREATED', { block: hash });
    log('info', 'Imported new chain segment', {
      number: block.header.number,
      hash: hash.slice(0, 12),
      txs: block.transactions.length,
      gas: block.header.gasUsed,
    });
  }

  /** COMPAT: all members skip data that are not a block. */
  private decode({ data, index }: Entry): Block | undefined {
    try {
      return decodeBlock(data.slice());
    } catch (error) {
      this.parts.log('error', 'error decoding block', { index, err: (error as Error).message });
      return undefined;
    }
  }

  /** Returns whether a member was added. */
  private applyChange({ index, data }: Entry): boolean {
    const { protocol, cluster, log } = this.parts;
    const change: ConfChange = decodeConfChange(data);
    const { type, nodeId } = change;
    if (type !== CONF_CHANGE.removeNode && cluster.isRemoved(nodeId)) {
      // The change was requested before all members knew of the removal. GoQuorum then counts the
      // node as a voter that never answers.
      log('info', 'ignoring change for permanently-removed peer', { 'raft id': nodeId });
      return false;
    }
    protocol.change(index, { type, nodeId });
    if (type === CONF_CHANGE.removeNode) {
      if (cluster.isRemoved(nodeId)) return false;
      log('info', 'removing peer due to ConfChangeRemoveNode', { 'raft id': nodeId });
      cluster.remove(nodeId);
      this.parts.membersChanged();
      if (nodeId === cluster.self) this.leave();
      return false;
    }
    if (change.context.length === 0 || cluster.get(nodeId)) return false;
    try {
      cluster.set(decodeAddress(change.context));
    } catch (error) {
      log('error', 'A member was added without a readable address', {
        'raft id': nodeId,
        err: (error as Error).message,
      });
      return false;
    }
    log('info', 'add peer/learner', { 'raft id': nodeId });
    this.parts.membersChanged();
    return true;
  }

  private leave(): void {
    this.parts.log('warn', 'permanently removing self from the cluster');
    this.isStopped = true;
    this.parts.removed();
  }

  private takeSnapshot(index: number, keepsTail: boolean): void {
    const { protocol, cluster, chain } = this.parts;
    this.snapshotIndex = index;
    const { removedIds } = cluster;
    const members = { members: cluster.members(), removedIds };
    protocol.compact(index, members, chain.head().hash, keepsTail);
  }
}
