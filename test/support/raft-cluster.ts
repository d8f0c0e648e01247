/** A Raft cluster of processes: `quorate node --raft` as an operator starts it. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SigningKey, Wallet } from 'ethers';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import type { Kind } from './bft-processes.ts';
import { until } from './conditions.ts';
import { MAIN, untilMined } from './devnet.ts';
import { freePorts } from './free-ports.ts';
import { CHAIN_ID, genesisFile, testSecretKey } from './genesis-file.ts';
import { type NodeCommand, NodeProcess } from './node-process.ts';

const PORTS_PER_NODE = 3;
const API = 'admin,eth,net,raft,rpc,txpool,web3';

const FUNDED = new Wallet(testSecretKey(0x11));

export class RaftNode extends NodeProcess {
  readonly enode: string;
  readonly kind: Kind;

  constructor(
    command: ConstructorParameters<typeof NodeProcess>[0],
    { enode, kind }: { enode: string; kind: Kind },
  ) {
    super(command);
    this.enode = enode;
    this.kind = kind;
  }
}

interface ClusterOptions {
  readonly count: number;
  readonly initial: number;
  /** Additional flags for each node. */
  readonly flagsOf?: (number: number) => readonly string[];
  /** Namespaces of JSON-RPC. */
  readonly api?: string;
  /** One per node; all ours by default. */
  readonly kinds?: readonly Kind[];
  /** Path of GoQuorum's binary; required where `kinds` asks for it. */
  readonly reference?: string | undefined;
}

export class RaftCluster {
  readonly nodes: RaftNode[] = [];
  readonly sender = FUNDED.address;
  /** The gas price of later transfers. */
  gasPrice = 0n;
  private readonly folder: string;
  private readonly firstPort: number;
  private readonly options: ClusterOptions;
  private nonce = 0;

  /** Keys and ports for `count` nodes, of which the first `initial` form the cluster. */
  static async prepare(folder: string, options: ClusterOptions): Promise<RaftCluster> {
    await installCrypto();
    return new RaftCluster(folder, await freePorts(), options);
  }

  private constructor(folder: string, firstPort: number, options: ClusterOptions) {
    this.folder = folder;
    this.firstPort = firstPort;
    this.options = options;
    mkdirSync(folder, { recursive: true });
    this.writeGenesis([]);
    for (let number = 1; number <= options.count; number++) this.nodes.push(this.makeNode(number));
    this.list(options.initial, 'static-nodes.json');
  }

  node(number: number): RaftNode {
    return this.nodes[number - 1]!;
  }

  get running(): RaftNode[] {
    return this.nodes.filter(({ isRunning }) => isRunning);
  }

  /** The genesis file, which nodes read at each start. */
  writeGenesis(transitions: readonly object[]): void {
    const genesis = genesisFile({ engine: 'raft', config: { berlinBlock: 0 }, transitions });
    writeFileSync(join(this.folder, 'genesis.json'), JSON.stringify(genesis));
  }

  /** GoQuorum needs `init` before its first start, ours only the file. */
  async initReference(): Promise<void> {
    const file = join(this.folder, 'genesis.json');
    for (const { folder, kind } of this.nodes) {
      const args = ['--datadir', folder, 'init', file];
      if (kind === 'r') await promisify(execFile)(this.options.reference!, args);
    }
  }

  /** Gives the first `count` nodes this file, which lists all of them. */
  list(count: number, file: 'static-nodes.json' | 'permissioned-nodes.json'): void {
    const nodes = this.nodes.slice(0, count);
    const enodes = JSON.stringify(nodes.map(({ enode }) => enode));
    for (const { folder } of nodes) writeFileSync(join(folder, file), enodes);
  }

  /** Starts the initial members, and those that joined them. */
  async startAll(count = this.options.initial): Promise<void> {
    await Promise.all(this.nodes.slice(0, count).map((node) => node.start()));
  }

  async stopAll(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop(signal)));
  }

  /** The node that mints, once the running ones agree on it. */
  async minter(): Promise<RaftNode> {
    let found: RaftNode | undefined;
    await until('there is a minter', async () => {
      const roles = await Promise.all(this.running.map(({ rpc }) => rpc.call('raft_role')));
      const minters = this.running.filter((_, at) => roles[at] === 'minter');
      found = minters.length === 1 ? minters[0] : undefined;
      return found !== undefined && !roles.includes('');
    });
    return found!;
  }

  /** Sends a transfer through `node`; resolves with its hash. */
  async submit(node: RaftNode, gasLimit = 21_000): Promise<string> {
    const { gasPrice, nonce } = this;
    const raw = await FUNDED.signTransaction({
      ...{ chainId: CHAIN_ID, type: 0, nonce, gasLimit, gasPrice, value: 1 },
      to: `0x${'22'.repeat(20)}`,
    });
    const hash = await node.rpc.call('eth_sendRawTransaction', raw);
    this.nonce++;
    return hash;
  }

  /** Sends a transfer through `node` and waits until `at` shows its receipt. */
  async transfer(node: RaftNode, at: readonly RaftNode[] = this.running): Promise<string> {
    const hash = await this.submit(node);
    for (const each of at) await untilMined(each.rpc, hash);
    return hash;
  }

  async sameHead(nodes: readonly RaftNode[]): Promise<void> {
    await until('all have the same head', async () => {
      const heads = await Promise.all(
        nodes.map(({ rpc }) => rpc.call<{ hash: string }>('eth_getBlockByNumber', 'latest', false)),
      );
      return new Set(heads.map(({ hash }) => hash)).size === 1;
    });
  }

  private portsOf(number: number): readonly [number, number, number] {
    const first = this.firstPort + PORTS_PER_NODE * (number - 1);
    return [first, first + 1, first + 2];
  }

  private makeNode(number: number): RaftNode {
    const key = number.toString(16).padStart(64, '0');
    const publicKey = new SigningKey(`0x${key}`).publicKey.slice(4);
    const { kinds, api = API, flagsOf = () => [] } = this.options;
    const folder = join(this.folder, `node${number}`);
    mkdirSync(join(folder, 'geth'), { recursive: true });
    for (const file of ['nodekey', 'geth/nodekey']) writeFileSync(join(folder, file), key);
    const [p2p, raft, rpcPort] = this.portsOf(number);
    const shared = [
      ...['--datadir', folder, '--port', String(p2p), '--ipcdisable', '--raft'],
      ...['--raftport', String(raft), '--http', '--http.port', String(rpcPort)],
      ...['--http.api', api, ...flagsOf(number)],
    ];
    const kind = kinds?.[number - 1] ?? 'q';
    const command = kind === 'q' ? this.ownCommand(shared) : this.referenceCommand(shared);
    const enode = `enode://${publicKey}@127.0.0.1:${p2p}?discport=0&raftport=${raft}`;
    const environment = { PRIVATE_CONFIG: 'ignore' };
    return new RaftNode({ number, folder, rpcPort, environment, ...command }, { enode, kind });
  }

  private ownCommand(shared: readonly string[]): Command {
    const genesis = ['--genesis', join(this.folder, 'genesis.json')];
    const addresses = ['--p2p.addr', '127.0.0.1', '--raft.addr', '127.0.0.1'];
    return { file: process.execPath, args: [MAIN, 'node', ...genesis, ...addresses, ...shared] };
  }

  private referenceCommand(shared: readonly string[]): Command {
    const usual = ['--nodiscover', '--networkid', String(CHAIN_ID), '--syncmode', 'full'];
    return { file: this.options.reference ?? '', args: [...usual, ...shared] };
  }
}

type Command = Pick<NodeCommand, 'file' | 'args'>;
