/**
 * Names of payment methods. One method has two names; both are accepted, and each partner sees the
 * one that it uses.
 */

const PAYMENT_IDS: readonly string[] = [
  ...['debit-credit-card', 'wallet-pay', 'sepa-bank-transfer', 'gbp-bank-transfer'],
  ...['ach-bank-transfer', 'upi', 'pix'],
];
const WALLET = 'wallet-pay';
const WALLET_ALIAS = 'apple-pay';

/**
 * Undefined: there is no such method. Underscores, found in older configurations, count as
 * hyphens.
 */
export function readPaymentId(text: string): string | undefined {
  const id = text.replaceAll('_', '-');
  const canonical = id === WALLET_ALIAS ? WALLET : id;
  return PAYMENT_IDS.includes(canonical) ? canonical : undefined;
}

export function shownPaymentId(id: string, usesAlias: boolean): string {
  return usesAlias && id === WALLET ? WALLET_ALIAS : id;
}
