/**
 * One thing that an enemy does to a network of four validators, and what the network must hold to
 * meanwhile.
 */
import type { HostileNetwork } from './network.ts';

export interface Bounds {
  /** Blocks for each second of the attack, as a share of one. */
  readonly blockShare: number;
  /** Rounds that may change. */
  readonly rounds: number;
  /** Seconds between two blocks. */
  readonly gapSeconds: number;
  /** For how long the thread of agreement may be held up. */
  readonly lagMs: number;
  /** Resident memory of one validator. */
  readonly residentMb: number;
}

export interface Case {
  readonly name: string;
  readonly group: 'readers' | 'rpc' | 'sockets' | 'peers' | 'transactions' | 'proposer';
  /** Of the short form too. */
  readonly isShort?: boolean;
  readonly seconds?: number;
  readonly bounds?: Partial<Bounds>;
  /** A node that is stopped for it, at 0 to 3. */
  readonly absent?: number;
  /**
   * Attacks until `isOver`; throws where the network does what it must not. What it returns is told
   * in the report.
   */
  attack(network: HostileNetwork, isOver: () => boolean): Promise<string | undefined>;
}

/**
 * The period is a second. A busy machine may cost a block or a second; nothing that is asked of a
 * node may.
 */
export const USUAL_BOUNDS: Bounds = {
  blockShare: 0.7,
  rounds: 0,
  gapSeconds: 3,
  lagMs: 1_000,
  residentMb: 1_000,
};
