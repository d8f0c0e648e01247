/** Answers the agreement thread's requests to the chain. */
import { keyOf } from '../../../core/base/bytes.ts';
import { Lru } from '../../../core/base/lru.ts';
import { type Block, EncodedBlock, encodeBlock } from '../../../core/chain/block.ts';
import type { View } from '../../../core/consensus/bft/interface.ts';
import type { ChainSide } from '../node/consensus/agreement.ts';
import { type Answer, type BlockReference, failureOf, type Question } from './messages.ts';
import { copyOf } from './outbox.ts';

/** Number of recent proposals kept, so that their transactions are decoded once. */
const BLOCKS_MAX = 8;

type Found = Pick<Answer, 'fault' | 'isForgotten'> & {
  readonly block?: Uint8Array<ArrayBuffer>;
};

/** `bytes`: parts of the answer to transfer. */
type Say = (answer: Answer, ...bytes: readonly Uint8Array<ArrayBuffer>[]) => void;

export class NearChain {
  private readonly chain: ChainSide;
  private readonly say: Say;
  /** By hash. */
  private readonly blocks = new Lru<string, Block>(BLOCKS_MAX);
  /** By the request that brought or made them. */
  private readonly given = new Lru<number, Block>(BLOCKS_MAX);
  private readonly wanted = new Set<number>();

  constructor(chain: ChainSide, say: Say) {
    this.chain = chain;
    this.say = say;
  }

  async answer(id: number, question: Question): Promise<void> {
    this.wanted.add(id);
    try {
      const answer = await this.ask(id, question);
      const bytes = answer.block ? [answer.block] : [];
      if (this.wanted.has(id)) this.say({ kind: 'answer', id, ...answer }, ...bytes);
    } catch (error) {
      this.say({ kind: 'answer', id, error: failureOf(error) });
    } finally {
      this.wanted.delete(id);
    }
  }

  abstains(reason: string | undefined): void {
    this.chain.abstains(reason);
  }

  entered(view: View): void {
    this.chain.entered(view);
  }

  unwanted(id: number): void {
    this.wanted.delete(id);
  }

  /** Withdraws all requests. */
  withdraw(): void {
    this.wanted.clear();
  }

  private async ask(id: number, question: Question): Promise<Found> {
    const isWanted = () => this.wanted.has(id);
    switch (question.what) {
      case 'assemble': {
        const block = await this.chain.assemble(question.request, isWanted);
        if (!block) return {};
        this.blocks.set(keyOf(block.hash), block);
        this.given.set(id, block);
        return { block: copyOf(encodeBlock(block)) };
      }
      case 'verify': {
        const block = this.read(question.block);
        this.given.set(id, block);
        return { fault: await this.chain.verify(block, isWanted) };
      }
      case 'decide': {
        const block = this.blockOf(question.block);
        if (!block) return { isForgotten: true };
        await this.chain.decide(block, question.round, question.seals);
        return {};
      }
    }
  }

  /** Undefined: it is no longer known. */
  private blockOf(reference: BlockReference): Block | undefined {
    return typeof reference === 'number' ? this.given.get(reference) : this.read(reference);
  }

  private read(bytes: Uint8Array): Block {
    const read = new EncodedBlock(bytes);
    const key = keyOf(read.hash);
    const known = this.blocks.get(key);
    // The hash covers only the header: a different body is a different block.
    if (known && Buffer.compare(encodeBlock(known), bytes) === 0) return known;
    this.blocks.set(key, read);
    return read;
  }
}
