/** Nodes connected in memory: production code over virtual links, disks and time. */

import { bareHex } from '../../src/core/base/hex.ts';
import { finish } from '../../src/core/base/pace.ts';
import type {
  Clock,
  Entropy,
  LinkEvent,
  Links,
  Log,
  PeerInfo,
  PeerMessage,
} from '../../src/core/base/ports.ts';
import { Prng } from '../../src/core/base/prng.ts';
import {
  addressOfSecretKey,
  recoverAddress,
  secp256k1,
  sign65,
} from '../../src/core/base/secp256k1.ts';
import type { Genesis } from '../../src/core/chain/genesis.ts';
import type { RaftLinks } from '../../src/core/consensus/raft/interface.ts';
import type { Manager } from '../../src/core/privacy/manager-port.ts';
import { ChainStore } from '../../src/core/store/chain-store.ts';
import { RaftStore } from '../../src/core/store/raft-store.ts';
import { TransactionJournal } from '../../src/core/store/transaction-journal.ts';
import { VoteFile } from '../../src/core/store/vote-file.ts';
import { systemEntropy } from '../../src/io/host/entropy.ts';
import { managerNotInUse } from '../../src/io/ptm-client/no-manager.ts';
import { MemoryDisk } from '../../src/io/storage/memory.ts';
import { ensureFirstBlock } from '../../src/services/ledger/node/chain/first-block.ts';
import { composeNode, type LedgerNode } from '../../src/services/ledger/node/compose.ts';
import { voteStore } from '../../src/services/ledger/node/consensus/memory-watch.ts';
import { bootstrapStore } from '../../src/services/ledger/node/consensus/raft-bootstrap.ts';
import { RaftMember } from '../../src/services/ledger/node/consensus/raft-member.ts';
import type { RaftSettings } from '../../src/services/ledger/node/consensus/raft-participation.ts';
import { memoryAgreement } from './memory-agreement.ts';
import { VirtualEffort } from './virtual-effort.ts';
import type { VirtualTime } from './virtual-time.ts';

interface Member {
  readonly info: PeerInfo;
  readonly isUnusual: boolean;
  readonly connected: Set<Member>;
  sink: (event: LinkEvent) => void;
}

/** Messages arrive in order, in a later turn of the event loop. */
export class MemoryHub {
  readonly time: VirtualTime;
  private readonly members = new Map<string, Member>();
  /** Pairs of ids that are never connected. */
  private readonly strangers = new Set<string>();
  /** Called for each message that is sent. */
  watch: (message: PeerMessage) => void = () => {};

  constructor(time: VirtualTime) {
    this.time = time;
  }

  /** `shared`: the protocols it has in common with its peers, instead of the usual ones. */
  links(secretKey: Uint8Array, shared?: ReadonlyMap<string, number>): Links {
    const info = peerInfo(secretKey, shared);
    const member: Member = {
      info,
      isUnusual: shared !== undefined,
      connected: new Set(),
      sink: () => {},
    };
    this.members.set(member.info.id, member);
    return {
      send: (peer, message) => {
        const target = this.members.get(peer);
        if (!target || !member.connected.has(target)) return;
        this.watch(message);
        const event = { kind: 'message', peer: member.info.id, message: copy(message) } as const;
        this.time.soon(() => member.connected.has(target) && target.sink(event));
      },
      drop: (peer) => {
        const target = this.members.get(peer);
        if (target) this.separate(member, target);
      },
      events: (sink) => {
        member.sink = (event) => {
          const work = sink(event);
          if (work) finish(work);
        };
      },
    };
  }

  /** Connects a node with all others. */
  connect(secretKey: Uint8Array): void {
    const member = this.memberOf(secretKey);
    for (const other of this.members.values()) {
      if (other === member || member.connected.has(other)) continue;
      if (this.strangers.has(`${member.info.id}${other.info.id}`)) continue;
      member.connected.add(other);
      other.connected.add(member);
      const { capabilities } = (other.isUnusual ? other : member).info;
      this.time.soon(() => member.sink({ kind: 'joined', peer: { ...other.info, capabilities } }));
      this.time.soon(() => other.sink({ kind: 'joined', peer: { ...member.info, capabilities } }));
    }
  }

  /** Two nodes that are never connected. */
  estrange(a: Uint8Array, b: Uint8Array): void {
    const [first, second] = [peerInfo(a).id, peerInfo(b).id];
    this.strangers.add(first + second).add(second + first);
  }

  disconnect(secretKey: Uint8Array): void {
    const member = this.memberOf(secretKey);
    for (const other of [...member.connected]) this.separate(member, other);
  }

  /** Removes a node for good; another one may use its key later. */
  remove(secretKey: Uint8Array): void {
    this.disconnect(secretKey);
    this.members.delete(peerInfo(secretKey).id);
  }

  private memberOf(secretKey: Uint8Array): Member {
    const member = this.members.get(peerInfo(secretKey).id);
    if (!member) throw new Error('no such member');
    return member;
  }

  private separate(a: Member, b: Member): void {
    if (!a.connected.delete(b)) return;
    b.connected.delete(a);
    this.time.soon(() => a.sink({ kind: 'left', peer: b.info.id, reason: 0 }));
    this.time.soon(() => b.sink({ kind: 'left', peer: a.info.id, reason: 0 }));
  }
}

const USUAL: ReadonlyMap<string, number> = new Map([
  ['eth', 66],
  ['istanbul', 100],
  ['quorate', 1],
]);

function copy(message: PeerMessage): PeerMessage {
  return { ...message, bytes: message.bytes.slice() };
}

function peerInfo(secretKey: Uint8Array, shared: ReadonlyMap<string, number> = USUAL): PeerInfo {
  const publicKey = secp256k1().publicKey(secretKey);
  const id = bareHex(publicKey);
  return {
    id,
    address: addressOfSecretKey(secretKey),
    enode: `enode://${id}@127.0.0.1:1`,
    clientName: 'memory',
    capabilities: shared,
    inbound: false,
    trusted: false,
    static: true,
    remoteAddress: '127.0.0.1:1',
    localAddress: '127.0.0.1:1',
  };
}

export interface MemoryNodeOptions {
  readonly hub: MemoryHub;
  readonly genesis: Genesis;
  readonly secretKey: Uint8Array;
  /** The protocols it shares with peers, instead of the usual ones. */
  readonly shared?: ReadonlyMap<string, number>;
  readonly disk?: MemoryDisk;
  readonly manager?: Manager;
  /** Random numbers; the system's by default. */
  readonly entropy?: Entropy;
  readonly isMining?: boolean;
  /** For a member of a Raft cluster. */
  readonly raft?: { readonly links: RaftLinks; readonly settings: RaftSettings };
  /** The machine's calendar clock; it may be set while the node runs. */
  readonly calendar?: Clock;
  readonly log?: Log;
  /** Consensus runs as in a thread of its own. */
  readonly isApart?: boolean;
  /** Virtual time to execute one unit of gas. */
  readonly nanosecondsPerGas?: number;
  /** The share of processor time that execution gets: less than 1 on a busy machine. */
  readonly processorShare?: number;
}

export interface MemoryNode extends LedgerNode {
  readonly disk: MemoryDisk;
  /** The Raft protocol of a member. */
  readonly member?: RaftMember;
  /** Stops it properly. */
  stop(): Promise<void>;
  /** Kills it: what was not synced may be lost. */
  kill(): Promise<void>;
}

export async function memoryNode(options: MemoryNodeOptions): Promise<MemoryNode> {
  const { hub, secretKey, genesis } = options;
  const { time } = hub;
  const disk = options.disk ?? new MemoryDisk();
  const kv = disk.kv('index');
  const store = await ChainStore.open({ log: disk.log('blocks'), kv, clock: time });
  await ensureFirstBlock(store, genesis);
  const raftStore = options.raft && (await RaftStore.open(disk.log('raft')));
  if (raftStore) await bootstrapStore(raftStore, options.raft!.settings.bootstrap);
  let isKilled = false;
  const effort = new VirtualEffort(time, options.nanosecondsPerGas, options.processorShare);
  const votes = new VoteFile(disk.slots('votes'), disk.slots('votes-written'));
  const log = options.log ?? (() => {});
  const fatal = (error: unknown) => {
    if (!isKilled) throw error;
  };
  const signer = {
    address: addressOfSecretKey(secretKey),
    sign: (hash: Uint8Array) => sign65(hash, secretKey),
    recover: recoverAddress,
  };
  const links = hub.links(secretKey, options.shared);
  const member =
    options.raft && raftStore
      ? new RaftMember({
          ...{ id: options.raft.settings.raftId, store: raftStore, links: options.raft.links },
          ...{
            clock: time,
            timers: effort,
            chance: chanceOf(options.entropy ?? systemEntropy),
            log,
            fatal,
          },
        })
      : undefined;
  const { calendar = time } = options;
  const ends = {
    time,
    calendar,
    timers: effort,
    links,
    votes: voteStore(votes),
    signer,
    log,
    fatal,
    member,
  };
  const thread = options.isApart ? memoryAgreement(ends) : undefined;
  const raft = member && {
    protocol: thread?.raft() ?? member,
    snapshot: raftStore!.contents.snapshot,
    connect: () => {},
    disconnect: () => {},
  };
  const node = composeNode(
    {
      clock: time,
      calendar,
      timers: effort,
      effort,
      entropy: options.entropy ?? systemEntropy,
      log,
      links: thread ?? links,
      agreement: thread && ((chain) => thread.over(chain)),
      store,
      kv,
      votes,
      journal: new TransactionJournal(disk.log('journal')),
      manager: options.manager ?? managerNotInUse(),
      signer,
      ...(raft ? { raft } : {}),
      fatal,
    },
    {
      config: genesis.config,
      networkId: genesis.config.chainId ?? 1n,
      consensusDefaults: {},
      // Accept a gas price of 0, as on the devnet.
      pool: { priceLimit: 0n },
      builder: { gasFloor: 700_000_000n, gasCeiling: 800_000_000n, vanity: new Uint8Array(0) },
      isMining: options.isMining ?? true,
      ...(options.raft ? { raft: options.raft.settings } : {}),
    },
  );
  for (const part of node.parts) await part.start();
  hub.connect(secretKey);
  const endParts = async () => {
    hub.remove(secretKey);
    for (const part of [...node.parts].reverse()) await part.stop();
  };
  return {
    ...node,
    ...(member ? { member } : {}),
    disk,
    async stop() {
      await endParts();
      await store.close();
    },
    async kill() {
      isKilled = true;
      await endParts();
      disk.crash();
    },
  };
}

function chanceOf(entropy: Entropy): Prng {
  return new Prng(new DataView(entropy.bytes(4).buffer).getUint32(0));
}
