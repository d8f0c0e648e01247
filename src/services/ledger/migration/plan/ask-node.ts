/** What a node of the network reports about itself, as far as its enabled RPC namespaces allow. */
import type { RpcAnswer, RpcCall } from '../../../../io/ledger-client/rpc-batch.ts';

/** Number of blocks sampled for the rate of transactions, spread over the chain. */
const SAMPLED_BLOCKS = 64;

export interface AskedNode {
  readonly url: string;
  ask(calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]>;
}

export interface RaftMember {
  readonly raftId: number;
  readonly nodeId: string;
  readonly role: string;
  readonly nodeActive: boolean;
}

export interface NodeAnswers {
  readonly url: string;
  /** Why the node does not answer; the other fields are then empty. */
  readonly away: string | undefined;
  readonly version: string;
  readonly head: number;
  /** Hash of the genesis block. */
  readonly genesisHash: string;
  readonly isSyncing: boolean;
  readonly peers: number;
  /** Public key of the node; undefined without the namespace `admin`. */
  readonly nodeId: string | undefined;
  readonly datadir: string | undefined;
  /** `config` of the genesis file; undefined without `admin`. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
  /** `istanbul`, `raft`, `clique`, …; undefined if the node does not name it. */
  readonly consensus: string | undefined;
  /** Names of the protocols that it shares with peers, such as `eth` and `qlight`. */
  readonly protocols: readonly string[];
  /** Whether clients of qlight may connect to it. */
  readonly isQlightServer: boolean;
  /** `account`, `security`, …: the names of GoQuorum. */
  readonly plugins: readonly string[];
  /**
   * The address with which it validates; undefined if the chain has no validators, or without
   * `istanbul`.
   */
  readonly address: string | undefined;
  readonly validators: readonly string[] | undefined;
  /** Number of proposals of each validator in the latest blocks. */
  readonly proposals: Readonly<Record<string, number>> | undefined;
  readonly raftRole: string | undefined;
  readonly raftMembers: readonly RaftMember[] | undefined;
  /** The estimated number of transactions in all blocks, from a sample. */
  readonly transactions: number;
  readonly hasPrivate: boolean;
}

const CALLS: readonly RpcCall[] = [
  { method: 'web3_clientVersion', params: [] },
  { method: 'eth_blockNumber', params: [] },
  { method: 'eth_getBlockByNumber', params: ['0x0', false] },
  { method: 'eth_syncing', params: [] },
  { method: 'net_peerCount', params: [] },
  { method: 'admin_nodeInfo', params: [] },
  { method: 'admin_qnodeInfo', params: [] },
  { method: 'admin_datadir', params: [] },
  { method: 'rpc_modules', params: [] },
  { method: 'istanbul_nodeAddress', params: [] },
  { method: 'istanbul_getValidators', params: [] },
  { method: 'istanbul_status', params: [] },
  { method: 'raft_role', params: [] },
  { method: 'raft_cluster', params: [] },
];

/** Engines in the configuration of a chain that Quorate does not have. */
const OTHER_ENGINES = ['clique', 'ethash'] as const;
/** How the methods of a plugin begin. */
const PLUGIN = 'plugin@';

type Fields = Readonly<Record<string, unknown>>;

/** Never rejects: for a node that does not answer, `away` says why. */
export async function askNode(node: AskedNode): Promise<NodeAnswers> {
  try {
    return await told(node);
  } catch (error) {
    return { ...NOTHING, url: node.url, away: (error as Error).message };
  }
}

async function told(node: AskedNode): Promise<NodeAnswers> {
  const answers = await node.ask(CALLS);
  const [version, number, first, syncing, peers, info, qlight, datadir, modules, ...consensus] =
    answers.map(({ result }) => result ?? undefined);
  const [address, validators, status, raftRole, raftMembers] = consensus;
  const { id, enode, protocols, plugins } = fields(info);
  // A client of qlight has no other protocol.
  const { eth, qlight: light } = fields(protocols);
  const head = Number(number);
  const { config, consensus: engine } = fields(eth ?? light);
  const delegated = Object.keys(fields(modules)).filter((name) => name.startsWith(PLUGIN));
  return {
    ...(await sample(node, head)),
    ...{ url: node.url, away: undefined, head, version: String(version ?? 'unknown') },
    genesisHash: String(fields(first).hash),
    isSyncing: typeof syncing === 'object',
    peers: Number(peers ?? 0),
    nodeId: nodeIdOf(enode) ?? text(id),
    datadir: text(datadir),
    config: config === undefined ? undefined : fields(config),
    consensus: text(engine) ?? OTHER_ENGINES.find((name) => name in fields(config)),
    protocols: Object.keys(fields(protocols)),
    isQlightServer: typeof qlight === 'object',
    plugins: [
      ...new Set([
        ...Object.keys(fields(plugins)),
        ...delegated.map((name) => name.slice(PLUGIN.length)),
      ]),
    ],
    address: text(address)?.toLowerCase(),
    validators: list(validators)?.map((one) => String(one).toLowerCase()),
    proposals: proposals(status),
    raftRole: text(raftRole),
    raftMembers: list(raftMembers)?.map((one) => one as RaftMember),
  };
}

async function sample(
  node: AskedNode,
  head: number,
): Promise<Pick<NodeAnswers, 'transactions' | 'hasPrivate'>> {
  const count = Math.min(SAMPLED_BLOCKS, head);
  if (count === 0) return { transactions: 0, hasPrivate: false };
  const numbers = Array.from({ length: count }, (_, i) => head - Math.floor((i * head) / count));
  const blocks = await node.ask(
    numbers.map((n) => ({ method: 'eth_getBlockByNumber', params: [`0x${n.toString(16)}`, true] })),
  );
  const found = blocks.flatMap(({ result }) => list(fields(result).transactions) ?? []);
  return {
    transactions: Math.round((found.length * head) / count),
    hasPrivate: found.some((one) => ['0x25', '0x26'].includes(String(fields(one).v))),
  };
}

function proposals(status: unknown): NodeAnswers['proposals'] {
  if (status === undefined) return undefined;
  const counts = Object.entries(fields(fields(status).sealerActivity));
  return Object.fromEntries(counts.map(([name, count]) => [name.toLowerCase(), Number(count)]));
}

function nodeIdOf(enode: unknown): string | undefined {
  return /^enode:\/\/([0-9a-f]{128})@/.exec(String(enode))?.[1];
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const NOTHING: Omit<NodeAnswers, 'url' | 'away'> = {
  ...{ version: '', head: 0, genesisHash: '', isSyncing: false, peers: 0, nodeId: undefined },
  ...{ datadir: undefined, config: undefined, consensus: undefined, protocols: [], plugins: [] },
  isQlightServer: false,
  ...{ address: undefined, validators: undefined, proposals: undefined, raftRole: undefined },
  ...{ raftMembers: undefined, transactions: 0, hasPrivate: false },
};
