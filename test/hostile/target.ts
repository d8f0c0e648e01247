/** A network under attack, as seen from outside. */
import type { NodeProcess } from '../support/node-process.ts';

export interface ChainBlock {
  readonly number: number;
  /** 0: no round changed for it. In a Raft cluster, 1: another member minted it than the last. */
  readonly round: number;
  /** Seconds. */
  readonly timestamp: number;
}

export interface Target {
  readonly nodes: readonly NodeProcess[];
  readonly running: readonly NodeProcess[];
  head(): Promise<number>;
  /** How long the node's consensus thread was blocked at most in the last second. */
  lagMs(node: NodeProcess): Promise<number>;
  blocks(from: number): Promise<ChainBlock[]>;
  /** Waits until all nodes have the same next block. */
  recover(): Promise<void>;
  stop(): Promise<void>;
}

/** Reads it from the node's metrics; GoQuorum has none: 0. */
export async function lagMs(metricsUrl: string): Promise<number> {
  const answer = await fetch(metricsUrl, { signal: AbortSignal.timeout(20_000) });
  const text = await answer.text();
  return Number(/^quorate_consensus_lag_ms (\d+)/m.exec(text)?.[1] ?? 0);
}
