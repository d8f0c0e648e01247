/** Measures what an attack costs the network, from outside, while it lasts. */
import { setTimeout as pause } from 'node:timers/promises';
import { cpuSeconds, machineCpuSeconds, residentMb } from '../../bench/processes.ts';
import type { NodeProcess } from '../support/node-process.ts';
import type { Target } from './target.ts';

const LOOK_MS = 400;

export interface Findings {
  readonly seconds: number;
  readonly blocks: number;
  /** Round changes of all blocks together. */
  readonly rounds: number;
  readonly gapSeconds: number;
  readonly lagMs: number;
  /** What blocked the consensus thread, according to the nodes' logs. */
  readonly lagBy: string | undefined;
  readonly residentMb: number;
  /** The longest time that a cheap read took on any node. */
  readonly answerMs: number;
  /** Processor cores used by other processes than the nodes and the attacker. */
  readonly otherCores: number;
  /** Nodes whose process has ended. */
  readonly ended: readonly string[];
}

export class Watch {
  private readonly network: Target;
  private readonly since = performance.now();
  private readonly logs: ReadonlyMap<NodeProcess, number>;
  private readonly nodes: readonly NodeProcess[];
  private readonly looks: Promise<void>;
  private readonly first: number;
  private readonly otherSeconds: number;
  private isOver = false;
  private lag = 0;
  private resident = 0;
  private answer = 0;

  private constructor(network: Target, first: number) {
    this.network = network;
    this.first = first;
    this.nodes = network.running;
    this.otherSeconds = this.othersSoFar();
    this.logs = new Map(this.nodes.map((node) => [node, node.log().length]));
    this.looks = this.lookAround();
  }

  static async begin(network: Target): Promise<Watch> {
    return new Watch(network, await network.head());
  }

  async end(): Promise<Findings> {
    const seconds = (performance.now() - this.since) / 1000;
    this.isOver = true;
    const otherCores = (this.othersSoFar() - this.otherSeconds) / seconds;
    await this.looks;
    const ended = this.nodes.filter(({ isRunning }) => !isRunning).map(({ name }) => name);
    const blocks = await this.network.blocks(this.first);
    const gaps = blocks.slice(1).map(({ timestamp }, at) => timestamp - blocks[at]!.timestamp);
    return {
      seconds,
      blocks: blocks.length - 1,
      rounds: blocks.slice(1).reduce((sum, { round }) => sum + round, 0),
      gapSeconds: Math.round(Math.max(0, ...gaps) * 10) / 10,
      lagMs: Math.round(this.lag),
      lagBy: this.lagBy(),
      residentMb: Math.round(this.resident),
      answerMs: Math.round(this.answer),
      otherCores: Math.max(0, otherCores),
      ended,
    };
  }

  /** CPU seconds used by other processes so far. */
  private othersSoFar(): number {
    const pids = this.nodes.flatMap(({ pid }) => pid ?? []);
    return machineCpuSeconds() - cpuSeconds([process.pid, ...pids]);
  }

  private async lookAround(): Promise<void> {
    await Promise.all(this.nodes.map((node) => this.lookAt(node)));
  }

  private async lookAt(node: NodeProcess): Promise<void> {
    while (!this.isOver && node.isRunning) {
      const asked = performance.now();
      await node.rpc.call('eth_blockNumber').catch(() => undefined);
      this.answer = Math.max(this.answer, performance.now() - asked);
      const lag = await this.network.lagMs(node).catch(() => 0);
      this.lag = Math.max(this.lag, lag);
      if (node.pid !== undefined && node.isRunning) {
        this.resident = Math.max(this.resident, residentMb(node.pid));
      }
      await pause(LOOK_MS);
    }
  }

  private lagBy(): string | undefined {
    let longest = 0;
    let by: string | undefined;
    for (const [node, before] of this.logs) {
      const text = node.log().slice(before);
      for (const [, what, ms] of text.matchAll(/held up.*?by="?([^"=]+?)"?\s+byMs=(\d+)/g)) {
        if (Number(ms) <= longest) continue;
        longest = Number(ms);
        by = `${what!.trim()} ${ms} ms`;
      }
    }
    return by;
  }
}
