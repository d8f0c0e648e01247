/** Answers the agreement thread's requests to the chain. */
import { keyOf } from '../../../core/base/bytes.ts';
import { Lru } from '../../../core/base/lru.ts';
import { type Block, EncodedBlock, encodeBlock } from '../../../core/chain/block.ts';
import type { View } from '../../../core/consensus/bft/interface.ts';
import type { ChainSide } from '../node/consensus/agreement.ts';
import { type Answer, failureOf, type Question } from './messages.ts';

/** Number of recent proposals kept, so that their transactions are decoded once. */
const BLOCKS_MAX = 8;

export class NearChain {
  private readonly chain: ChainSide;
  private readonly say: (answer: Answer) => void;
  private readonly blocks = new Lru<string, Block>(BLOCKS_MAX);
  private readonly wanted = new Set<number>();

  constructor(chain: ChainSide, say: (answer: Answer) => void) {
    this.chain = chain;
    this.say = say;
  }

  async answer(id: number, question: Question): Promise<void> {
    this.wanted.add(id);
    try {
      const answer = await this.ask(question, () => this.wanted.has(id));
      if (this.wanted.has(id)) this.say({ kind: 'answer', id, ...answer });
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

  private async ask(
    question: Question,
    isWanted: () => boolean,
  ): Promise<Pick<Answer, 'block' | 'fault'>> {
    switch (question.what) {
      case 'assemble': {
        const block = await this.chain.assemble(question.request, isWanted);
        if (!block) return {};
        this.blocks.set(keyOf(block.hash), block);
        return { block: encodeBlock(block) };
      }
      case 'verify':
        return { fault: await this.chain.verify(this.blockOf(question.block), isWanted) };
      case 'decide':
        await this.chain.decide(this.blockOf(question.block), question.round, question.seals);
        return {};
    }
  }

  private blockOf(bytes: Uint8Array): Block {
    const read = new EncodedBlock(bytes);
    const key = keyOf(read.hash);
    const known = this.blocks.get(key);
    // The hash covers only the header: a different body is a different block.
    if (known && Buffer.compare(encodeBlock(known), bytes) === 0) return known;
    this.blocks.set(key, read);
    return read;
  }
}
