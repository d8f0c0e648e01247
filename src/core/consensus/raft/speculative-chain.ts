/**
 * Blocks that this minter has proposed and the cluster has not yet committed: the next block is
 * built on the last of them, without their transactions (GoQuorum raft/speculative_chain.go).
 */
import { equalBytes, keyOf } from '../../base/bytes.ts';

export interface SpeculativeBlock {
  readonly hash: Uint8Array;
  readonly transactions: readonly { readonly hash: Uint8Array }[];
}

export class SpeculativeChain<B extends SpeculativeBlock> {
  private blocks: B[] = [];
  /**
   * Descendants of a block that did not get its place in the chain: the log will deliver them too,
   * and they are ignored.
   */
  private readonly doomed = new Set<string>();
  private readonly proposed = new Set<string>();
  /** Number of times that proposed blocks were abandoned: anything built on them is void. */
  private generations = 0;

  get generation(): number {
    return this.generations;
  }

  /** Oldest first; empty: the next block is built on the head of the chain. */
  get unapplied(): readonly B[] {
    return this.blocks;
  }

  isProposed(transaction: { readonly hash: Uint8Array }): boolean {
    return this.proposed.size > 0 && this.proposed.has(keyOf(transaction.hash));
  }

  extend(block: B): void {
    this.blocks.push(block);
    for (const { hash } of block.transactions) this.proposed.add(keyOf(hash));
  }

  clear(): void {
    if (this.blocks.length > 0) this.generations++;
    this.blocks = [];
    this.doomed.clear();
    this.proposed.clear();
  }

  /** `block` is now the head of the chain. A block of another minter ends our proposals. */
  accept(block: SpeculativeBlock): void {
    const [first] = this.blocks;
    if (!first) {
      this.generations++;
      return;
    }
    if (equalBytes(first.hash, block.hash)) {
      this.blocks = this.blocks.slice(1);
      this.release(first);
    } else this.clear();
  }

  /** The log delivered the block `hash` at a place where it does not extend the chain. */
  unwindFrom(hash: Uint8Array): void {
    if (this.doomed.delete(keyOf(hash))) return;
    const at = this.blocks.findIndex((block) => equalBytes(block.hash, hash));
    if (at < 0) return;
    this.generations++;
    const lost = this.blocks.slice(at);
    this.blocks = this.blocks.slice(0, at);
    for (const block of lost) {
      this.release(block);
      if (!equalBytes(block.hash, hash)) this.doomed.add(keyOf(block.hash));
    }
  }

  private release(block: B): void {
    for (const { hash } of block.transactions) this.proposed.delete(keyOf(hash));
  }
}
