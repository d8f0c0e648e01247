/**
 * Four validators as processes, with every namespace open to the attacker, and what can be measured
 * of them from outside.
 */
import { rmSync } from 'node:fs';
import { fromHex } from '../../src/core/base/hex.ts';
import { decodeQbftExtra } from '../../src/core/chain/extra-data.ts';
import type { BftNode } from '../support/bft-processes.ts';
import { BftProcesses } from '../support/bft-processes.ts';
import { freePorts } from '../support/free-ports.ts';
import { genesisFile } from '../support/genesis-file.ts';

const NAMESPACES =
  'admin,debug,eea,eth,istanbul,ledgerExtension,miner,net,personal,priv,rpc,txpool,web3';
/** As in the devnet: rounds of four seconds. */
const SETTINGS = { requesttimeoutseconds: 4 };

export interface ChainBlock {
  readonly number: number;
  readonly round: number;
  readonly timestamp: number;
}

export class HostileNetwork {
  readonly nodes: readonly BftNode[];
  private readonly processes: BftProcesses;
  private readonly folder: string;
  private readonly metrics: ReadonlyMap<BftNode, string>;
  private readonly wsPort: number;

  static async start(folder: string): Promise<HostileNetwork> {
    const processes = await BftProcesses.prepare({
      folder,
      kinds: ['q', 'q', 'q', 'q'],
      api: NAMESPACES,
      genesis: (validators) => genesisFile({ engine: 'qbft', validators, settings: SETTINGS }),
      flags: ['--allow-insecure-unlock', '--ws', '--ws.addr', '127.0.0.1', '--ws.api', NAMESPACES],
    });
    processes.introduce(processes.nodes);
    const port = await freePorts();
    const metrics = new Map<BftNode, string>();
    for (const [at, node] of processes.nodes.entries()) {
      const own = String(port + at);
      metrics.set(node, `http://127.0.0.1:${own}/debug/metrics/prometheus`);
      const flags = ['--metrics', '--metrics.addr', '127.0.0.1', '--metrics.port', own];
      await processes.begin(node, [...flags, '--ws.port', String(port + 10 + at)]);
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

  /** The node's metric: how long its consensus thread was blocked at most in the last second. */
  async lagMs(node: BftNode): Promise<number> {
    const answer = await fetch(this.metrics.get(node)!, { signal: AbortSignal.timeout(20_000) });
    const text = await answer.text();
    return Number(/^quorate_consensus_lag_ms (\d+)/m.exec(text)?.[1] ?? 0);
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
