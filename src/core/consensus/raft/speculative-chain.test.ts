import { describe, expect, it } from 'vitest';
import { SpeculativeChain } from './speculative-chain.ts';

const block = (id: number, ...transactions: number[]) => ({
  hash: Uint8Array.of(id),
  transactions: transactions.map((each) => ({ hash: Uint8Array.of(100 + each) })),
});
const tx = (id: number) => ({ hash: Uint8Array.of(100 + id) });

describe('the chain of proposed blocks', () => {
  it('grows, and shrinks from below as blocks are committed', () => {
    const chain = new SpeculativeChain();
    const blocks = [block(1, 1), block(2, 2), block(3, 3)];
    for (const each of blocks) chain.extend(each);
    expect(chain.isProposed(tx(2))).toBe(true);
    chain.accept(blocks[0]!);
    expect(chain.unapplied).toEqual(blocks.slice(1));
    expect(chain.isProposed(tx(1))).toBe(false);
    expect(chain.isProposed(tx(3))).toBe(true);
  });

  it('is given up when another minter has the next block', () => {
    const chain = new SpeculativeChain();
    chain.extend(block(1, 1));
    const { generation } = chain;
    chain.accept(block(9, 9));
    expect(chain.unapplied).toEqual([]);
    expect(chain.isProposed(tx(1))).toBe(false);
    expect(chain.generation).toBeGreaterThan(generation);
  });

  it('loses a refused block and what stands on it, and expects those to be refused too', () => {
    const chain = new SpeculativeChain();
    for (const each of [block(1, 1), block(2, 2), block(3, 3)]) chain.extend(each);
    chain.unwindFrom(Uint8Array.of(2));
    expect(chain.unapplied.map(({ hash }) => hash[0])).toEqual([1]);
    expect([1, 2, 3].map((id) => chain.isProposed(tx(id)))).toEqual([true, false, false]);
    chain.extend(block(4, 2));
    chain.unwindFrom(Uint8Array.of(3));
    expect(chain.unapplied.map(({ hash }) => hash[0])).toEqual([1, 4]);
    chain.unwindFrom(Uint8Array.of(77));
    expect(chain.unapplied).toHaveLength(2);
  });
});
