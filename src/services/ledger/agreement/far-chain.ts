/** The chain as seen by the agreement thread: requests to the main thread, and its answers. */

import { inTurns } from '../../../core/base/in-turns.ts';
import { concatInPieces } from '../../../core/base/pace.ts';
import type { Timers } from '../../../core/base/ports.ts';
import type { Block } from '../../../core/chain/block.ts';
import { EncodedBlock, encodeBlock } from '../../../core/chain/block.ts';
import type { Seal, View } from '../../../core/consensus/bft/interface.ts';
import type { ChainSide } from '../node/consensus/agreement.ts';
import type { AssembleRequest } from '../node/consensus/bft-driver.ts';
import { type Answer, errorOf, type FromAgreement, type Question } from './messages.ts';
import type { Outbox } from './outbox.ts';

interface Asked {
  readonly isWanted: () => boolean;
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: Error) => void;
}

const ALWAYS = () => true;

export class FarChain implements ChainSide {
  private readonly outbox: Outbox<FromAgreement>;
  private readonly timers: Pick<Timers, 'yield'>;
  private readonly asked = new Map<number, Asked>();
  /** The request with which the main thread got or made a block. */
  private readonly known = new WeakMap<Block, number>();
  private lastId = 0;

  constructor(outbox: Outbox<FromAgreement>, timers: Pick<Timers, 'yield'>) {
    this.outbox = outbox;
    this.timers = timers;
  }

  async assemble(request: AssembleRequest, isWanted: () => boolean): Promise<Block | undefined> {
    const answer = await this.ask({ what: 'assemble', request }, isWanted);
    if (!answer?.block) return undefined;
    const block = new EncodedBlock(answer.block);
    this.known.set(block, answer.id);
    return block;
  }

  async verify(block: Block, isWanted: () => boolean): Promise<string | undefined> {
    const bytes = await this.copyOf(block);
    if (!isWanted()) return undefined;
    const answer = this.ask({ what: 'verify', block: bytes }, isWanted, bytes);
    this.known.set(block, this.lastId);
    return (await answer)?.fault;
  }

  async decide(block: Block, round: number, seals: readonly Seal[]): Promise<void> {
    const decision = { what: 'decide', round, seals } as const;
    const id = this.known.get(block);
    if (id !== undefined) {
      const answer = await this.ask({ ...decision, block: id }, ALWAYS);
      if (!answer?.isForgotten) return;
    }
    const bytes = await this.copyOf(block);
    await this.ask({ ...decision, block: bytes }, ALWAYS, bytes);
  }

  abstains(reason: string | undefined): void {
    this.outbox.say({ kind: 'abstains', reason });
  }

  entered(view: View): void {
    this.outbox.say({ kind: 'view', view });
  }

  answered(answer: Answer): void {
    const asked = this.asked.get(answer.id);
    this.asked.delete(answer.id);
    if (answer.error) asked?.reject(errorOf(answer.error));
    else asked?.resolve(answer);
  }

  /** Call it after each engine step: withdraws requests that are no longer needed. */
  look(): void {
    for (const [id, { isWanted, resolve }] of this.asked) {
      if (isWanted()) continue;
      this.asked.delete(id);
      this.outbox.say({ kind: 'unwanted', id });
      resolve(undefined);
    }
  }

  /** A copy to transfer, because the engine keeps its block. */
  private copyOf(block: Block): Promise<Uint8Array<ArrayBuffer>> {
    return inTurns(concatInPieces([encodeBlock(block)]), this.timers);
  }

  private ask(
    question: Question,
    isWanted: () => boolean,
    ...bytes: readonly Uint8Array<ArrayBuffer>[]
  ): Promise<Answer | undefined> {
    const id = ++this.lastId;
    this.outbox.say({ kind: 'ask', id, question }, ...bytes);
    return new Promise((resolve, reject) => this.asked.set(id, { isWanted, resolve, reject }));
  }
}
