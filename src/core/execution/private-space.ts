/**
 * One private state while a block runs: its world, the state at the start of the block, and its
 * receipts so far.
 */
import type { Address } from '../base/bytes.ts';
import type { Receipt } from '../chain/receipt.ts';
import type { Psi } from '../privacy/inputs.ts';
import { FootprintWorld } from '../state/footprint-world.ts';
import { PublicWorld } from '../state/public-world.ts';
import { type PrivateTrace, traceOf } from './private-trace.ts';
import type { Reached } from './reached-accounts.ts';
import type { StateBase } from './result.ts';

export class PrivateSpace {
  readonly psi: Psi;
  readonly base: StateBase;
  readonly world: PublicWorld;
  /** Receipts by index of the transaction in the block. */
  readonly receipts: Map<number, Receipt> = new Map();
  /** Reached accounts by index of the transaction; empty unless the job asks for them. */
  readonly reached: Map<number, readonly Reached[]> = new Map();
  /** Transactions inside markers, by index. */
  readonly inner: Map<number, { readonly from: Address; readonly to: Address | undefined }> =
    new Map();
  /** Traces by index of the transaction; empty unless the block is traced. */
  readonly traces: Map<number, PrivateTrace> = new Map();
  private readonly footprints: FootprintWorld | undefined;

  constructor(psi: Psi, base: StateBase, blockNumber: number, isTraced = false) {
    this.psi = psi;
    this.base = base;
    this.footprints = isTraced ? new FootprintWorld(base.reader, blockNumber) : undefined;
    this.world = this.footprints ?? new PublicWorld(base.reader, blockNumber);
  }

  /** Call it when the transaction at `index` has ended and has its receipt. */
  traceTransaction(index: number): void {
    const footprint = this.footprints?.takeFootprint();
    if (!footprint) return;
    this.traces.set(index, traceOf(footprint, this.receipts.get(index)!, this.world));
    // Drop what the computation of the digest itself has read.
    this.footprints!.takeFootprint();
  }

  /**
   * Call it after a contract extension: adds the accounts that it read and wrote. It changes a new
   * party's state, but not those of the earlier parties, so the outcome stays as it is.
   */
  traceExtension(index: number): void {
    const footprint = this.footprints?.takeFootprint();
    const trace = this.traces.get(index);
    if (!footprint || !trace) return;
    const existed = new Map([...footprint.existed, ...trace.existed]);
    const written = new Set([...trace.written, ...footprint.written.keys()]);
    this.traces.set(index, { ...trace, existed, written });
  }
}
