/**
 * One private state while a block runs: its world, the state underneath, and its receipts so far.
 */
import type { Receipt } from '../chain/receipt.ts';
import type { Psi } from '../privacy/inputs.ts';
import { PublicWorld } from '../state/public-world.ts';
import type { StateBase } from './result.ts';

export class PrivateSpace {
  readonly psi: Psi;
  readonly base: StateBase;
  readonly world: PublicWorld;
  /** By index of the transaction in the block. */
  readonly receipts: Map<number, Receipt> = new Map();

  constructor(psi: Psi, base: StateBase, blockNumber: number) {
    this.psi = psi;
    this.base = base;
    this.world = new PublicWorld(base.reader, blockNumber);
  }
}
