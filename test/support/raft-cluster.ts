/** A Raft cluster of processes: `quorate node --raft` as an operator starts it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { computeAddress, SigningKey, Wallet } from 'ethers';
import { until } from './conditions.ts';
import { freePorts } from './free-ports.ts';
import { type Rpc, rpcClient } from './rpc-client.ts';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
const PORTS_PER_NODE = 3;
const CHAIN_ID = 1337;

const FUNDED = new Wallet(`0x${'11'.repeat(32)}`);

export interface RaftNode {
  readonly number: number;
  readonly folder: string;
  readonly enode: string;
  readonly url: string;
  readonly rpc: Rpc;
  process: ChildProcess | undefined;
}

export class RaftCluster {
  readonly nodes: RaftNode[] = [];
  private readonly folder: string;
  private readonly firstPort: number;
  private readonly flags: readonly string[];
  private readonly initial: number;

  /** Keys and ports for `count` nodes, of which the first `initial` begin the cluster. */
  static async prepare(
    folder: string,
    { count, initial, flags = [] }: { count: number; initial: number; flags?: readonly string[] },
  ): Promise<RaftCluster> {
    return new RaftCluster(folder, await freePorts(), { count, initial, flags });
  }

  private constructor(
    folder: string,
    firstPort: number,
    { count, initial, flags }: { count: number; initial: number; flags: readonly string[] },
  ) {
    this.folder = folder;
    this.firstPort = firstPort;
    this.flags = flags;
    this.initial = initial;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis()));
    for (let number = 1; number <= count; number++) this.nodes.push(this.makeNode(number));
    const members = JSON.stringify(this.nodes.slice(0, initial).map(({ enode }) => enode));
    for (const node of this.nodes.slice(0, initial)) {
      writeFileSync(join(node.folder, 'static-nodes.json'), members);
    }
  }

  node(number: number): RaftNode {
    return this.nodes[number - 1]!;
  }

  get running(): RaftNode[] {
    return this.nodes.filter(({ process }) => process !== undefined);
  }

  async startAll(): Promise<void> {
    await Promise.all(this.nodes.slice(0, this.initial).map((node) => this.start(node)));
  }

  async start(node: RaftNode, flags: readonly string[] = []): Promise<void> {
    const [p2p, raft, http] = this.portsOf(node.number);
    const args = [
      ...['node', '--datadir', node.folder, '--genesis', join(this.folder, 'genesis.json')],
      ...['--port', String(p2p), '--p2p.addr', '127.0.0.1', '--ipcdisable'],
      ...['--raft', '--raftport', String(raft), '--raft.addr', '127.0.0.1'],
      ...[
        '--http',
        '--http.port',
        String(http),
        '--http.api',
        'eth,net,web3,raft,admin,txpool,rpc',
      ],
      ...this.flags,
      ...flags,
    ];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const log = (text: Buffer) => appendFileSync(join(node.folder, 'node.log'), text);
    child.stdout.on('data', log);
    child.stderr.on('data', log);
    child.once('exit', () => {
      if (node.process === child) node.process = undefined;
    });
    node.process = child;
    await until(`node ${node.number} answers`, async () => {
      const isAnswering = node.rpc.call('eth_blockNumber').then(
        () => true,
        () => false,
      );
      return node.process !== child || isAnswering;
    });
    if (node.process !== child) throw new Error(`node ${node.number} has ended`);
  }

  async stop(node: RaftNode, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = node.process;
    if (!child) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await ended;
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.nodes.map((node) => this.stop(node, 'SIGKILL')));
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

  /** Sends a transfer through `node` and waits until `at` shows its receipt. */
  async transfer(nonce: number, node: RaftNode, at: readonly RaftNode[]): Promise<void> {
    const raw = await FUNDED.signTransaction({
      ...{ chainId: CHAIN_ID, type: 0, nonce, gasLimit: 21_000, gasPrice: 0, value: 1 },
      to: `0x${'22'.repeat(20)}`,
    });
    const hash = await node.rpc.call('eth_sendRawTransaction', raw);
    for (const each of at) {
      await until(`node ${each.number} has transaction ${nonce}`, async () => {
        return (await each.rpc.call('eth_getTransactionReceipt', hash)) !== null;
      });
    }
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
    const folder = join(this.folder, `node${number}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'nodekey'), key);
    const [p2p, raft, http] = this.portsOf(number);
    const url = `http://127.0.0.1:${http}`;
    return {
      number,
      folder,
      enode: `enode://${publicKey}@127.0.0.1:${p2p}?discport=0&raftport=${raft}`,
      url,
      rpc: rpcClient(url),
      process: undefined,
    };
  }
}

function genesis(): object {
  return {
    config: {
      chainId: CHAIN_ID,
      ...Object.fromEntries(
        ['homestead', 'byzantium', 'constantinople', 'petersburg', 'istanbul', 'berlin'].map(
          (fork) => [`${fork}Block`, 0],
        ),
      ),
      ...{ eip150Block: 0, eip155Block: 0, eip158Block: 0, isQuorum: true },
    },
    difficulty: '0x0',
    gasLimit: '0xe0000000',
    alloc: { [computeAddress(FUNDED.signingKey.publicKey)]: { balance: '1000000000000000000000' } },
  };
}
