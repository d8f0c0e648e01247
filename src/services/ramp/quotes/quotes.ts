/** Quotes: the configuration, prices and the ledger's gas brought together for one request. */
import type { Partner, RampConfig } from '../../../core/ramp/config.ts';
import { formatFiat, parseDecimal, RATE_DECIMALS } from '../../../core/ramp/money.ts';
import {
  checkAmount,
  checkPayout,
  checkSwitches,
  fieldFault,
  findOffer,
  inField,
  type Offer,
  type OfferRequest,
} from '../../../core/ramp/offer.ts';
import type { Side } from '../../../core/ramp/order.ts';
import {
  buyQuote,
  convertFiat,
  NO_FEE,
  networkFeeOf,
  type Quote,
  sellQuote,
  withSpread,
} from '../../../core/ramp/quote.ts';
import { isNative } from '../../../core/ramp/wallet-address.ts';
import type { GasPrice } from './network-fee.ts';
import type { Prices } from './prices.ts';

export interface QuoteRequest extends OfferRequest {
  /** As the client wrote it. */
  readonly amount: string;
}

export interface MadeQuote {
  readonly offer: Offer;
  readonly quote: Quote;
  /** The fiat amount in USD, with two decimals. */
  readonly fiatUsd: string;
}

const USD = { id: 'USD', decimals: 2 };

export class Quotes {
  private readonly config: () => RampConfig;
  private readonly prices: () => Prices;
  private readonly gas: GasPrice;

  constructor(config: () => RampConfig, prices: () => Prices, gas: GasPrice) {
    this.config = config;
    this.prices = prices;
    this.gas = gas;
  }

  /**
   * Changes nothing. Throws RAMP_… with the field at fault, RAMP_PAUSED, RAMP_PRICE_AWAY,
   * RAMP_LEDGER_AWAY.
   */
  make(side: Side, asked: QuoteRequest, partner: Partner): MadeQuote {
    const config = this.config();
    const offer = findOffer(config, side, asked);
    checkSwitches(config, side, offer);
    const { fiat, crypto, payment } = offer;
    const { decimals } = side === 'buy' ? fiat : crypto;
    const amountIn = inField('amount', () => parseDecimal(asked.amount, decimals));
    if (amountIn === 0n) throw fieldFault('RAMP_AMOUNT_ZERO', 'amount', 'must be more than 0');
    checkAmount(side, offer, amountIn);
    const mid = this.prices().price(crypto.id, fiat.id);
    const terms = {
      amountIn,
      fiatDecimals: fiat.decimals,
      cryptoDecimals: crypto.decimals,
      price: withSpread(mid, side, config.pricing.spreadMillionths),
      processing: fiat.fees.get(payment.id) ?? NO_FEE,
      partner: partner.fee,
      networkFee: side === 'buy' ? this.networkFee(offer) : 0n,
    };
    const quote = inField('amount', () => (side === 'buy' ? buyQuote(terms) : sellQuote(terms)));
    if (side === 'buy') checkPayout(offer, quote.amountOut);
    const fiatUnits = side === 'buy' ? quote.amountIn : quote.amountOut;
    return { offer, quote, fiatUsd: this.inUsd(fiatUnits, offer) };
  }

  /** The fee of a buy's transfer; if the ledger's coin has no price, gas counts as free. */
  private networkFee({ crypto, fiat }: Offer): bigint {
    const native = this.config().crypto.find(
      (each) => isNative(each) && each.network === crypto.network,
    );
    if (!native) return 0n;
    const cost = { gas: BigInt(crypto.gas), gasPrice: this.gas.wei() };
    if (cost.gasPrice === 0n) return 0n;
    return networkFeeOf(cost, this.prices().price(native.id, fiat.id), fiat.decimals);
  }

  private inUsd(units: bigint, { fiat }: Offer): string {
    const rate =
      fiat.id === USD.id ? 10n ** BigInt(RATE_DECIMALS) : this.prices().price(fiat.id, USD.id);
    return formatFiat(convertFiat(units, fiat.decimals, rate, USD.decimals), USD.decimals);
  }
}
