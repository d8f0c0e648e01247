/**
 * Kind `consensus-raft-rpc`: the answers of a recorded cluster's members to `raft_*`, compared with
 * those of a cluster in memory to the same requests in the same order.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ZERO_ADDRESS } from '../../src/core/base/bytes.ts';
import { fromHex } from '../../src/core/base/hex.ts';
import { type Genesis, genesisFromJson } from '../../src/core/chain/genesis.ts';
import { OPEN } from '../../src/io/rpc/access.ts';
import { type Caller, Dispatcher } from '../../src/io/rpc/dispatcher.ts';
import { MemoryDisk } from '../../src/io/storage/memory.ts';
import type { Context } from '../../src/services/ledger/api/context.ts';
import { raftMethods } from '../../src/services/ledger/api/raft.ts';
import { raftAdmin } from '../../src/services/ledger/network/raft.ts';
import { MemoryHub, type MemoryNode, memoryNode } from '../support/memory-network.ts';
import { MemoryRaftHub } from '../support/memory-raft.ts';
import { VirtualTime } from '../support/virtual-time.ts';
import { filesOf, readBeside } from './consensus-check.ts';
import type { VectorKind } from './kind.ts';
import { answerFault } from './rpc-compare.ts';
import { parseTranscript } from './rpc-transcript.ts';

const CALLER: Caller = { transport: 'ipc', psi: undefined, access: OPEN, remote: 'test' };
const INITIAL = [1, 2, 3];
/**
 * We accept a raft id in a string, which GoQuorum refuses: here, such a call would change the
 * cluster (known differences).
 */
const IDS = new Set(['raft_promoteToPeer', 'raft_removePeer']);
const LIMIT_MS = 60_000;

/**
 * The member that was asked up to this request id, and the change made to the cluster before the
 * first of these requests.
 */
const STEPS: readonly {
  readonly upTo: number;
  readonly at: number;
  readonly before?: (cluster: RecordedCluster) => Promise<void>;
}[] = [
  { upTo: 6, at: 1, before: (cluster) => cluster.start(1) },
  {
    upTo: 29,
    at: 1,
    async before(cluster) {
      await cluster.start(2);
      await cluster.start(3);
      await cluster.makeMinter(1);
    },
  },
  { upTo: 41, at: 2 },
  { upTo: 91, at: 1 },
  { upTo: 102, at: 4, before: (cluster) => cluster.join(4) },
  { upTo: 103, at: 1 },
  { upTo: 107, at: 4 },
  { upTo: 108, at: 1 },
  { upTo: 114, at: 2 },
  { upTo: 116, at: 4, before: (cluster) => cluster.hasRole(4, 'verifier') },
  { upTo: 118, at: 1 },
  { upTo: 127, at: 5, before: (cluster) => cluster.join(5) },
  { upTo: 128, at: 1 },
  { upTo: 134, at: 5, before: (cluster) => cluster.hasRole(5, '') },
  { upTo: 138, at: 1 },
  {
    upTo: 165,
    at: 3,
    async before(cluster) {
      await cluster.stop(1);
      await cluster.makeMinter(2);
    },
  },
  { upTo: 177, at: 1, before: (cluster) => cluster.join(1) },
];

export const consensusRaftRpc: VectorKind = {
  name: 'consensus-raft-rpc',
  find: (root) => filesOf(join(root, 'goquorum/consensus/raft'), ['rpc.io']),
  async run(file, report) {
    const folder = dirname(file);
    const cluster = new RecordedCluster(
      genesisFromJson(readBeside(folder, 'genesis.json')),
      readBeside(folder, 'keys.json').nodes.map(({ priv }: { priv: string }) => fromHex(priv)),
      readBeside(folder, 'keys.json').nodes.map(({ pub }: { pub: string }) => fromHex(pub)),
    );
    const { exchanges } = parseTranscript('rpc.io', readFileSync(file, 'utf8'));
    let step = -1;
    try {
      for (const { request, reply } of exchanges) {
        const { id, method, params } = JSON.parse(request);
        while (step < 0 || id > STEPS[step]!.upTo) await STEPS[++step]!.before?.(cluster);
        if (!method.startsWith('raft_') || (IDS.has(method) && typeof params?.[0] === 'string'))
          continue;
        const ours = sorted(JSON.parse(await cluster.ask(STEPS[step]!.at, request)));
        const fault = answerFault('replay', sorted(JSON.parse(reply!)), ours);
        const name = request.slice(0, 120);
        if (fault === undefined) report.pass(name);
        else report.fail(name, fault);
      }
    } finally {
      await cluster.stopAll();
    }
  },
};

/** The asked member is the last one; the others are in no order. */
function sorted(answer: any): unknown {
  const { result } = answer;
  if (!Array.isArray(result) || result.length === 0) return answer;
  const others = result.slice(0, -1).sort((a, b) => a.raftId - b.raftId);
  return { ...answer, result: [...others, result.at(-1)] };
}

/** Members with the recorded keys and addresses. */
class RecordedCluster {
  private readonly time = new VirtualTime(Date.UTC(2030, 0, 1));
  private readonly hub = new MemoryHub(this.time);
  private readonly raftHub = new MemoryRaftHub(this.time);
  private readonly disks = new Map<number, MemoryDisk>();
  private readonly nodes = new Map<number, MemoryNode>();
  private readonly genesis: Genesis;
  private readonly secretKeys: readonly Uint8Array[];
  private readonly publicKeys: readonly Uint8Array[];

  constructor(
    genesis: Genesis,
    secretKeys: readonly Uint8Array[],
    publicKeys: readonly Uint8Array[],
  ) {
    this.genesis = genesis;
    this.secretKeys = secretKeys;
    this.publicKeys = publicKeys;
  }

  async start(raftId: number): Promise<void> {
    const disk = this.disks.get(raftId) ?? new MemoryDisk();
    this.disks.set(raftId, disk);
    const bootstrap = INITIAL.includes(raftId) ? INITIAL.map((id) => this.addressOf(id)) : [];
    const settings = { raftId, bootstrap, blockTimeMs: 50, hasDns: false };
    const links = this.raftHub.links(raftId);
    const raft = { links, settings: { ...settings, etherbase: ZERO_ADDRESS } };
    const { hub, genesis } = this;
    const secretKey = this.secretKeys[raftId - 1]!;
    this.nodes.set(raftId, await memoryNode({ hub, genesis, secretKey, disk, raft }));
  }

  /** Starts a member, and waits until it knows its role. */
  async join(raftId: number): Promise<void> {
    await this.start(raftId);
    const { raft } = this.nodes.get(raftId)!;
    await this.until(() => raft!.leaderAddress() !== undefined && raft!.roleOf(raftId) !== '');
  }

  async stop(raftId: number): Promise<void> {
    await this.nodes.get(raftId)!.stop();
    this.nodes.delete(raftId);
  }

  async stopAll(): Promise<void> {
    for (const raftId of [...this.nodes.keys()]) await this.stop(raftId);
  }

  hasRole(raftId: number, role: string): Promise<void> {
    const { raft } = this.nodes.get(raftId)!;
    return this.until(() => (raft!.isRemoved ? '' : raft!.roleOf(raftId)) === role);
  }

  /** Isolates every other elected member until this one sees no leader and is elected itself. */
  async makeMinter(raftId: number): Promise<void> {
    const leaderFor = (id: number) => this.nodes.get(id)!.raft!.standing.leader;
    for (;;) {
      await this.until(() => leaderFor(raftId) !== 0 && this.isAgreed());
      if (leaderFor(raftId) === raftId) return;
      const other = leaderFor(raftId);
      this.raftHub.isolate(other);
      await this.until(() => leaderFor(raftId) !== other);
      this.raftHub.heal();
    }
  }

  async ask(raftId: number, request: string): Promise<string> {
    const raft = raftAdmin(this.nodes.get(raftId)!, () => undefined);
    const table = { methods: raftMethods, subscriptions: [] };
    const dispatcher = new Dispatcher<Context>(table, {
      contextOf: () => ({ admin: { raft } }) as unknown as Context,
      isEnabled: () => true,
      newId: () => '0x1',
      log: () => {},
      isMultitenant: false,
      nowMs: () => this.time.nowMs(),
    });
    let answer: string | undefined;
    void dispatcher.handle(request, CALLER).then((text) => {
      answer = text;
    });
    await this.until(() => answer !== undefined);
    return answer!;
  }

  private isAgreed(): boolean {
    const members = [...this.nodes.values()].map(({ raft }) => raft!);
    const leaders = new Set(
      members.filter((each) => !each.isRemoved).map((each) => each.standing.leader),
    );
    return leaders.size === 1;
  }

  private until(isDone: () => boolean): Promise<void> {
    return this.time.until(isDone, LIMIT_MS, 'the recorded cluster');
  }

  private addressOf(raftId: number) {
    return {
      raftId,
      nodeId: this.publicKeys[raftId - 1]!,
      hostname: '127.0.0.1',
      p2pPort: 23_199 + raftId,
      raftPort: 23_249 + raftId,
    };
  }
}
