/** Four validators as processes, with every namespace and door open to the attacker. */
import { rmSync } from 'node:fs';
import { fromHex } from '../../src/core/base/hex.ts';
import { decodeQbftExtra } from '../../src/core/chain/extra-data.ts';
import { TABLE } from '../../src/services/ledger/api/table.ts';
import type { BftNode } from '../support/bft-processes.ts';
import { BftProcesses } from '../support/bft-processes.ts';
import { freePorts } from '../support/free-ports.ts';
import { genesisFile } from '../support/genesis-file.ts';
import { type ChainBlock, lagMs, type Target } from './target.ts';

/** Every namespace of the table of methods. */
export const NAMESPACES: string = [
  ...new Set(TABLE.methods.flatMap(({ names }) => names.map((name) => name.split(/[_.]/)[0]!))),
].join(',');
/** As in the devnet: rounds of four seconds. */
const SETTINGS = { requesttimeoutseconds: 4 };
const OWN_FLAGS = ['--graphql', '--nodiscover=false', '--index.accounts'];
const NEWEST_FORKS = {
  berlinBlock: 0,
  quorate: { londonBlock: 0, parisBlock: 0, shanghaiBlock: 0, cancunBlock: 0 },
};

export interface NetworkOptions {
  /**
   * The opcodes and precompiles of all forks; otherwise those of Istanbul, with its lower prices.
   */
  readonly isNewestFork?: boolean;
  /** Path of GoQuorum's binary, for a network of it. */
  readonly reference?: string | undefined;
}

export class HostileNetwork implements Target {
  readonly nodes: readonly BftNode[];
  private readonly processes: BftProcesses;
  private readonly folder: string;
  private readonly metrics: ReadonlyMap<BftNode, string>;
  private readonly wsPort: number;

  static async start(
    folder: string,
    { isNewestFork = false, reference }: NetworkOptions = {},
  ): Promise<HostileNetwork> {
    const kind = reference === undefined ? 'q' : 'r';
    const config = isNewestFork ? NEWEST_FORKS : {};
    const processes = await BftProcesses.prepare({
      folder,
      reference,
      kinds: [kind, kind, kind, kind],
      api: NAMESPACES,
      genesis: (validators) =>
        genesisFile({ engine: 'qbft', validators, settings: SETTINGS, config }),
      flags: [
        ...['--allow-insecure-unlock', '--ws', '--ws.addr', '127.0.0.1', '--ws.api', NAMESPACES],
        ...(kind === 'q' ? OWN_FLAGS : []),
      ],
    });
    if (kind === 'r') await Promise.all(processes.nodes.map((node) => processes.init(node)));
    processes.introduce(processes.nodes);
    const port = await freePorts();
    const metrics = new Map<BftNode, string>();
    for (const [at, node] of processes.nodes.entries()) {
      const own = String(port + at);
      metrics.set(node, `http://127.0.0.1:${own}/debug/metrics/prometheus`);
      const flags = ['--metrics', '--metrics.addr', '127.0.0.1', '--metrics.port', own];
      const all = [...flags, '--ws.port', String(port + 10 + at)];
      await (kind === 'q' ? processes.begin(node, all) : node.start(all));
    }
    const network = new HostileNetwork(processes, folder, metrics, port + 10);
    await processes.reach(2);
    return network;
  }

  private constructor(
    processes: BftProcesses,
    folder: string,
    metrics: ReadonlyMap<BftNode, string>,
    wsPort: number,
  ) {
    this.wsPort = wsPort;
    this.processes = processes;
    this.nodes = processes.nodes;
    this.folder = folder;
    this.metrics = metrics;
  }

  /** The WebSocket URL of the node with this index. */
  ws(at: number): string {
    return `ws://127.0.0.1:${this.wsPort + at}`;
  }

  get running(): readonly BftNode[] {
    return this.processes.running;
  }

  async restart(node: BftNode): Promise<void> {
    const at = this.nodes.indexOf(node);
    const own = new URL(this.metrics.get(node)!).port;
    const flags = ['--metrics', '--metrics.addr', '127.0.0.1', '--metrics.port', own];
    await this.processes.begin(node, [...flags, '--ws.port', String(this.wsPort + at)]);
  }

  async head(): Promise<number> {
    return Number(await this.bystander.rpc.call('eth_blockNumber'));
  }

  /**
   * Waits until all nodes have the same next block; a node that does not answer is killed and
   * restarted first.
   */
  async recover(): Promise<void> {
    for (const node of this.nodes) {
      const isThere = await node.rpc.call('eth_blockNumber').catch(() => undefined);
      if (isThere !== undefined) continue;
      await node.stop('SIGKILL');
      await this.restart(node);
    }
    await this.processes.reach((await this.head()) + 1);
  }

  /** The node to measure: attacks go to the first node, and may replace the last. */
  get bystander(): BftNode {
    return this.nodes[1]!;
  }

  lagMs(node: BftNode): Promise<number> {
    return lagMs(this.metrics.get(node)!);
  }

  async blocks(from: number): Promise<ChainBlock[]> {
    const { rpc } = this.bystander;
    const head = await this.head();
    const found: ChainBlock[] = [];
    for (let number = from; number <= head; number++) {
      const tag = `0x${number.toString(16)}`;
      const block = await rpc.call<any>('eth_getBlockByNumber', tag, false);
      const { round } = decodeQbftExtra(fromHex(block.extraData));
      found.push({ number, round, timestamp: Number(block.timestamp) });
    }
    return found;
  }

  async stop(): Promise<void> {
    await this.processes.stopAll();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
