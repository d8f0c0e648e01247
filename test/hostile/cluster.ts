/**
 * A Raft cluster of three processes. It mints blocks for transactions only, so honest transfers go
 * through it, one after the other, all the time.
 */
import { rmSync } from 'node:fs';
import { fromHex } from '../../src/core/base/hex.ts';
import { decodeRaftSeal } from '../../src/core/consensus/raft/block-seal.ts';
import { freePorts } from '../support/free-ports.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { RaftCluster, type RaftNode } from '../support/raft-cluster.ts';
import { NAMESPACES } from './network.ts';
import { type ChainBlock, lagMs, type Target } from './target.ts';

const MEMBERS = 3;
const NANOSECONDS = 1e9;

export class HostileCluster implements Target {
  private readonly cluster: RaftCluster;
  private readonly folder: string;
  private readonly metricsPort: number;
  private isStopped = false;
  private transfers: Promise<void> = Promise.resolve();

  static async start(folder: string): Promise<HostileCluster> {
    const port = await freePorts();
    const metrics = (number: number) => ['--metrics.port', String(port + number)];
    const cluster = await RaftCluster.prepare(folder, {
      count: MEMBERS,
      initial: MEMBERS,
      api: NAMESPACES,
      flagsOf: (number) => ['--metrics', '--metrics.addr', '127.0.0.1', ...metrics(number)],
    });
    await cluster.startAll();
    await cluster.minter();
    const target = new HostileCluster(cluster, folder, port);
    target.transfers = target.transferAlways();
    return target;
  }

  private constructor(cluster: RaftCluster, folder: string, metricsPort: number) {
    this.cluster = cluster;
    this.folder = folder;
    this.metricsPort = metricsPort;
  }

  get nodes(): readonly RaftNode[] {
    return this.cluster.nodes;
  }

  get running(): readonly RaftNode[] {
    return this.cluster.running;
  }

  /** URL of a member's Raft port. */
  raftUrl(at: number): string {
    const { hostname, searchParams } = new URL(this.nodes[at]!.enode);
    return `http://${hostname}:${searchParams.get('raftport')}`;
  }

  async head(): Promise<number> {
    return Number(await this.nodes[1]!.rpc.call('eth_blockNumber'));
  }

  lagMs({ number }: NodeProcess): Promise<number> {
    return lagMs(`http://127.0.0.1:${this.metricsPort + number}/debug/metrics/prometheus`);
  }

  async blocks(from: number): Promise<ChainBlock[]> {
    const { rpc } = this.nodes[1]!;
    const head = await this.head();
    const found: ChainBlock[] = [];
    let minter: string | undefined;
    for (let number = from; number <= head; number++) {
      const tag = `0x${number.toString(16)}`;
      const block = await rpc.call<any>('eth_getBlockByNumber', tag, false);
      const { raftIdHex } =
        number === 0 ? { raftIdHex: '' } : decodeRaftSeal(fromHex(block.extraData));
      const hasChanged = minter !== undefined && minter !== raftIdHex;
      const timestamp = Number(BigInt(block.timestamp)) / NANOSECONDS;
      found.push({ number, round: hasChanged ? 1 : 0, timestamp });
      minter = raftIdHex;
    }
    return found;
  }

  async recover(): Promise<void> {
    await this.cluster.sameHead(this.nodes);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.transfers;
    await this.cluster.stopAll();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async transferAlways(): Promise<void> {
    while (!this.isStopped) {
      await this.cluster.transfer(this.nodes[1]!, [this.nodes[1]!]).catch(() => undefined);
    }
  }
}
