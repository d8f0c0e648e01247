/**
 * Gas price for transactions without one: sampled from the last blocks, as in GoQuorum's oracle.
 */
import { equalBytes, keyOf } from '../../../../core/base/bytes.ts';
import type { Block } from '../../../../core/chain/block.ts';
import type { Chain } from '../chain/chain.ts';

export interface GasPriceTerms {
  /** Wei: used until a transaction has paid a price (`--miner.gasprice`). */
  readonly defaultPrice: bigint;
  /** Number of sampled blocks. */
  readonly blocks: number;
  /** Percentile, 0 to 100. */
  readonly percentile: number;
  readonly maxPrice: bigint;
}

/** Number of prices taken from each block: the lowest ones, which show what is enough. */
const PRICES_PER_BLOCK = 3;

/** Suggests prices; zero on a network that does not charge for gas. */
export class GasPriceOracle {
  private readonly chain: Chain;
  private readonly terms: GasPriceTerms;
  private last: { readonly head: string; readonly price: bigint };

  constructor(chain: Chain, terms: GasPriceTerms) {
    this.chain = chain;
    this.terms = terms;
    this.last = { head: '', price: terms.defaultPrice };
  }

  /** The price in wei, including the base fee. */
  suggest(): bigint {
    const { number, header, hash } = this.chain.head();
    const { timestamp, baseFeePerGas = 0n } = header;
    if (!this.chain.rulesOf({ number: number + 1, timestamp }).isGasPriceEnabled) return 0n;
    const head = keyOf(hash);
    if (this.last.head !== head) this.last = { head, price: this.sample(number) };
    return this.last.price + baseFeePerGas;
  }

  /**
   * A block without a price counts as the previous suggestion; for each block with few prices, one
   * more is sampled.
   */
  private sample(head: number): bigint {
    const { blocks, percentile, maxPrice } = this.terms;
    const prices: bigint[] = [];
    let wanted = blocks;
    for (let number = head; number > 0 && wanted > 0; number--, wanted--) {
      const paid = cheapest(this.chain.store.block(number));
      if (paid.length <= 1 && head - number < blocks) wanted++;
      prices.push(...(paid.length === 0 ? [this.last.price] : paid));
    }
    prices.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const price = prices[Math.floor(((prices.length - 1) * percentile) / 100)] ?? this.last.price;
    return price < maxPrice ? price : maxPrice;
  }
}

/** The lowest tips paid by accounts other than the block's author. */
function cheapest(block: Block | undefined): bigint[] {
  if (!block) return [];
  const { coinbase, baseFeePerGas = 0n } = block.header;
  return block.transactions
    .filter(({ sender }) => !equalBytes(sender, coinbase))
    .map(({ maxFeePerGas, maxPriorityFeePerGas }) => {
      const most = maxFeePerGas - baseFeePerGas;
      return most < maxPriorityFeePerGas ? most : maxPriorityFeePerGas;
    })
    .filter((price) => price > 1n)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    .slice(0, PRICES_PER_BLOCK);
}
