/**
 * The log of a Raft member, and the thread in which its protocol runs: this one, or the agreement
 * thread.
 */
import { join } from 'node:path';
import type { Log } from '../../../core/base/ports.ts';
import { Prng } from '../../../core/base/prng.ts';
import type { RaftStore } from '../../../core/store/raft-store.ts';
import type { Enode } from '../../../core/wire/enode.ts';
import { steadyClock } from '../../../io/host/clock.ts';
import { systemEntropy } from '../../../io/host/entropy.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import { RaftTransport } from '../../../io/raft/transport.ts';
import { LastVote } from '../agreement/last-vote.ts';
import type { RaftThreadSettings } from '../agreement/messages.ts';
import type { RaftConfig } from '../config.ts';
import { bootstrapStore } from '../node/consensus/raft-bootstrap.ts';
import { RaftMember, type RaftProtocol } from '../node/consensus/raft-member.ts';
import type { RaftPorts, RaftSettings } from '../node/consensus/raft-participation.ts';
import { type OpenChain, storeFolder } from '../store/data.ts';
import { openRaftLog, RAFT_FOLDER } from '../store/raft-log.ts';
import { enodeOf } from './raft.ts';

export class RaftMemory {
  private readonly config: RaftConfig;
  private readonly folder: string;
  private readonly id: number;
  private readonly store: RaftStore;
  private readonly seals: OpenChain['seals'];
  private isClosed = false;

  /** Opens the log; for a new cluster, writes its first entries. Throws RAFT_LOG_… */
  static async open(parts: {
    readonly config: RaftConfig;
    readonly dataFolder: string;
    readonly settings: RaftSettings;
    readonly opened: OpenChain;
  }): Promise<RaftMemory> {
    const { config, opened } = parts;
    const { raftId, bootstrap } = parts.settings;
    const folder = storeFolder(parts.dataFolder);
    const logFolder = config.logFolder ?? folder;
    const place = { folder, logFolder, raftId, isJoining: bootstrap.length === 0 };
    const store = await openRaftLog(opened, place);
    await bootstrapStore(store, bootstrap);
    return new RaftMemory({ ...parts, folder: join(logFolder, RAFT_FOLDER), store });
  }

  private constructor(parts: {
    readonly config: RaftConfig;
    readonly folder: string;
    readonly settings: RaftSettings;
    readonly store: RaftStore;
    readonly opened: OpenChain;
  }) {
    this.config = parts.config;
    this.folder = parts.folder;
    this.id = parts.settings.raftId;
    this.store = parts.store;
    this.seals = parts.opened.seals;
  }

  /** Closes the log here, because the agreement thread opens it itself. */
  handOver(): RaftThreadSettings {
    const lastSave = new LastVote();
    lastSave.number = this.store.lastWritten;
    this.seals.follow('raft', () => lastSave.number);
    this.close();
    const { id, folder, config } = this;
    return { id, folder, host: config.host, port: config.port, lastSave: lastSave.memory };
  }

  /** Runs the protocol in this thread. */
  here({ log, fatal }: { readonly log: Log; fatal(error: unknown): void }): RaftProtocol {
    const { id, store, config } = this;
    return new RaftMember({
      ...{ id, store, log, fatal, clock: steadyClock, timers: systemTimers },
      links: new RaftTransport({ id, host: config.host, port: config.port, log }),
      chance: new Prng(new DataView(systemEntropy.bytes(4).buffer).getUint32(0)),
    });
  }

  ports(
    protocol: RaftProtocol,
    peers: { addPeer(enode: Enode): unknown; removePeer(nodeId: string): unknown },
  ): RaftPorts {
    return {
      protocol,
      snapshot: this.store.contents.snapshot,
      connect: (address) => void peers.addPeer(enodeOf(address)),
      disconnect: (nodeId) => void peers.removePeer(nodeId),
    };
  }

  close(): void {
    if (!this.isClosed) this.store.close();
    this.isClosed = true;
  }
}
