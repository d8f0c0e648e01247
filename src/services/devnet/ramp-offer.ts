/**
 * The offer of the devnet's ramp: its coin and its token, for test cards and test transfers, to one
 * test partner.
 */
import { DEMO_TOKEN } from './demo-token.ts';
import { CHAIN_ID, RAMP_PARTNER, STAKING_CLIENT } from './topology.ts';

const METHODS = ['debit-credit-card', 'sepa-bank-transfer'];
/** Where the partner's customers return to. */
const REDIRECT_URL = 'https://example.org';

/**
 * Address of the page on which a customer of the test partner buys some of the coin for a wallet:
 * what the explorer links to.
 */
export function rampPage(ramp: string, wallet: string): string {
  const order = {
    ...{ region: 'de', payment: METHODS[0]!, crypto: 'eth', fiat: 'EUR', amount: '50' },
    ...{ walletAddress: wallet, partnerAccountId: RAMP_PARTNER, redirectUrl: REDIRECT_URL },
  };
  return `${ramp}/buy?${new URLSearchParams(order)}`;
}

/**
 * `token`: address of the demo token; undefined: the network has none. `confirmations`: blocks, the
 * one with the transaction included.
 */
export function rampOffer(token: string | undefined, confirmations = 2): object {
  const limits = (min: string, max: string) => METHODS.map((id) => ({ id, min, max }));
  return {
    version: '1.0.0',
    countries: [{ id: 'us', states: ['al', 'ca', 'ny'] }, { id: 'de' }, { id: 'jp' }],
    payments: METHODS.map((id) => ({ id, adapter: 'sandbox', name: `Sandbox ${id}` })),
    fiat: [
      {
        ...{ id: 'USD', paymentLimits: limits('10', '50000') },
        fees: [{ id: 'debit-credit-card', percent: '2.9', fixed: '0.30' }],
      },
      { id: 'EUR', paymentLimits: limits('10', '50000') },
      { id: 'JPY', paymentLimits: limits('1500', '7500000') },
    ],
    crypto: [
      {
        ...{ id: 'eth', address: `0x${'00'.repeat(20)}`, network: String(CHAIN_ID), decimals: 18 },
        confirmations,
        payoutLimits: limits('.001', '100'),
        sellLimits: limits('.001', '100'),
      },
      ...(token === undefined
        ? []
        : [
            {
              ...{ ...DEMO_TOKEN, address: token, network: String(CHAIN_ID) },
              confirmations,
              payoutLimits: limits('1', '100000'),
              sellLimits: limits('1', '100000'),
            },
          ]),
    ],
    partners: [
      {
        ...{ id: RAMP_PARTNER, clientIds: [STAKING_CLIENT], redirectUrls: [REDIRECT_URL] },
        ...{ name: 'Test partner', frameAncestors: ['https://example.org'] },
        hash: { algorithm: 'sha256' },
      },
    ],
    pricing: {
      spreadPercent: '0.5',
      source: {
        kind: 'fixed',
        prices: [
          { base: 'eth', quote: 'USD', price: '2500' },
          { base: 'eth', quote: 'EUR', price: '2300' },
          { base: 'eth', quote: 'JPY', price: '375000' },
          { base: DEMO_TOKEN.id, quote: 'USD', price: '1' },
          { base: DEMO_TOKEN.id, quote: 'EUR', price: '.92' },
          { base: DEMO_TOKEN.id, quote: 'JPY', price: '150' },
          { base: 'EUR', quote: 'USD', price: '1.087' },
          { base: 'JPY', quote: 'USD', price: '0.00667' },
        ],
      },
    },
  };
}
