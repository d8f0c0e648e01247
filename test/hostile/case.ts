/** One attack on a network, and the bounds that the network must keep meanwhile. */
import type { HostileNetwork } from './network.ts';

export interface Bounds {
  /** Blocks per second of the attack, at least. */
  readonly blockShare: number;
  /** Round changes, at most. */
  readonly rounds: number;
  /** Seconds between two blocks, at most. */
  readonly gapSeconds: number;
  /** How long the consensus thread may be blocked. */
  readonly lagMs: number;
  /** Resident memory of one validator, at most. */
  readonly residentMb: number;
}

export type Group =
  | 'readers'
  | 'rpc'
  | 'sockets'
  | 'peers'
  | 'discovery'
  | 'transactions'
  | 'proposer'
  | 'newest fork'
  | 'raft';

export interface Case<N = HostileNetwork> {
  readonly name: string;
  readonly group: Group;
  /** What it attacks with, as coverage.ts names it. */
  readonly covers?: readonly string[];
  /** True: part of the short form too. */
  readonly isShort?: boolean;
  readonly seconds?: number;
  readonly bounds?: Partial<Bounds>;
  /** The index of a node that is stopped during the attack. */
  readonly absent?: number;
  /**
   * Attacks until `isOver`; throws where the network breaks a promise. The text that it returns
   * goes into the report.
   */
  attack(network: N, isOver: () => boolean): Promise<string | undefined>;
}

/**
 * The block period is one second. A busy machine may cost one block or one second; a request to a
 * node may not.
 */
export const USUAL_BOUNDS: Bounds = {
  blockShare: 0.7,
  rounds: 0,
  gapSeconds: 3,
  lagMs: 1_000,
  residentMb: 1_000,
};
