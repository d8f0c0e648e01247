/**
 * Checks seals and fields of headers in order, before their blocks are available: votes in a header
 * determine the validators of the next.
 */
import { equalBytes } from '../../../../core/base/bytes.ts';
import type { Timers } from '../../../../core/base/ports.ts';
import type { Header } from '../../../../core/chain/header.ts';
import type { ConsensusSigner } from '../../../../core/consensus/bft/interface.ts';
import type { Snapshot } from '../../../../core/consensus/bft/snapshot.ts';
import { headerFault, sealedHeaderFault } from '../../../../core/consensus/check-seals.ts';
import { SerialQueue } from '../../../../core/store/serial-queue.ts';
import type { SyncHeader } from '../../../../core/sync/sync-types.ts';
import type { Chain } from '../chain/chain.ts';
import type { ValidatorSchedule } from './validator-schedule.ts';

export type HeaderToVerify = Pick<SyncHeader, 'header' | 'hash'>;
export interface HeaderFault {
  readonly index: number;
  readonly text: string;
}

/** Number of headers between two turns of the event loop: each has several signatures. */
const SLICE_HEADERS = 16;

export class HeaderVerifier {
  private readonly chain: Chain;
  private readonly schedule: ValidatorSchedule | undefined;
  private readonly timers: Timers;
  private readonly recover: ConsensusSigner['recover'] | undefined;
  private readonly turn = new SerialQueue();
  /** State after the last verified header, which may be far above the head. */
  private last: { readonly snapshot: Snapshot; readonly header: Header } | undefined;

  /**
   * `schedule` undefined: the chain has no seals to check. `recover`: knows some of the signers
   * already.
   */
  constructor(parts: {
    chain: Chain;
    schedule: ValidatorSchedule | undefined;
    timers: Timers;
    recover?: ConsensusSigner['recover'];
  }) {
    this.chain = parts.chain;
    this.schedule = parts.schedule;
    this.timers = parts.timers;
    this.recover = parts.recover;
  }

  /**
   * Each header is the child of the previous; the first follows the head, the last verified header,
   * or another block of the chain. Batches run one after another: sync requests several in advance.
   */
  async verify(headers: readonly HeaderToVerify[]): Promise<HeaderFault | undefined> {
    const { schedule } = this;
    const first = headers[0];
    return schedule && first && this.turn.run(() => this.verifyBatch(schedule, first, headers));
  }

  private async verifyBatch(
    schedule: ValidatorSchedule,
    first: HeaderToVerify,
    headers: readonly HeaderToVerify[],
  ): Promise<HeaderFault | undefined> {
    let before = this.before(schedule, first.header);
    for (const [index, { header, hash }] of headers.entries()) {
      if (!before) return { index, text: 'unknown ancestor' };
      const text = this.fault(schedule, header, before);
      if (text !== undefined) return { index, text };
      before = { snapshot: schedule.next(before.snapshot, header, hash), header };
      if (index % SLICE_HEADERS === SLICE_HEADERS - 1) {
        await new Promise<void>((resolve) => this.timers.yield(resolve));
      }
    }
    this.last = before;
    return undefined;
  }

  /** Forgets verified headers, because a block below them could not be imported. */
  forget(): void {
    this.last = undefined;
  }

  private fault(
    schedule: ValidatorSchedule,
    header: Header,
    before: { snapshot: Snapshot; header: Header },
  ): string | undefined {
    const context = {
      engine: schedule.engineAt(header.number),
      parent: before.header,
      parentHash: before.snapshot.hash,
      rules: schedule.rulesAt(header.number),
    };
    // A contract can be called only when its state is available: sealFault checks the seals when
    // the block is imported.
    const { recover } = this;
    if (schedule.needsParentState(header.number)) return headerFault(header, context, recover);
    const { validators } = before.snapshot;
    return sealedHeaderFault(header, { ...context, validators }, recover);
  }

  /**
   * The fault in this header's seals, checked with the head's validators, on chains where verify()
   * could not know these; undefined: none.
   */
  sealFault(header: Header): string | undefined {
    const { schedule, chain } = this;
    if (!schedule?.needsParentState(header.number)) return undefined;
    const head = chain.head();
    if (!equalBytes(header.parentHash, head.hash)) return undefined;
    const context = {
      engine: schedule.engineAt(header.number),
      parent: head.header,
      parentHash: head.hash,
      validators: schedule.validatorsAfter(head.number),
      rules: schedule.rulesAt(header.number),
    };
    return sealedHeaderFault(header, context, this.recover);
  }

  private before(schedule: ValidatorSchedule, { number, parentHash }: Header) {
    if (this.last && equalBytes(this.last.snapshot.hash, parentHash)) return this.last;
    const header =
      number - 1 <= this.chain.head().number ? this.chain.store.header(number - 1) : undefined;
    return header && { snapshot: schedule.parentSnapshot(number - 1), header };
  }
}
