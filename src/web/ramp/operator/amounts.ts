/** Amounts of the operator's page. */
import type { OperatorPage } from '../../../core/ramp/page-data.ts';
import { coins, money } from '../../ui/format.ts';
import type { OrderRecord } from './api.ts';

const LANGUAGE = 'en';

export function fiatOf(order: OrderRecord): string {
  return money(order.fiatAmountIn ?? order.fiatAmountOut ?? '0', order.fiat, LANGUAGE);
}

export function cryptoOf(order: OrderRecord): string {
  return coins(order.cryptoAmountOut ?? order.cryptoAmountIn ?? '0', order.crypto.id, LANGUAGE);
}

/** Smallest units as a decimal number with the asset's name. */
export function unitsText(units: string, asset: string, { assets }: OperatorPage): string {
  const known = assets.find((each) => each.asset === asset);
  if (!known) return `${units} of ${asset}`;
  return `${decimalText(units, known.decimals)} ${known.name.toUpperCase()}`;
}

/** `-12345`, 2 -> `-123.45`. */
export function decimalText(units: string, decimals: number): string {
  const sign = units.startsWith('-') ? '-' : '';
  const digits = units.replace('-', '').padStart(decimals + 1, '0');
  const whole = BigInt(digits.slice(0, digits.length - decimals)).toLocaleString(LANGUAGE);
  const fraction = decimals === 0 ? '' : `.${digits.slice(-decimals)}`;
  return `${sign}${whole}${fraction}`;
}
