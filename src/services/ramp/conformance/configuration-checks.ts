/**
 * Checks of a configuration as an aggregator reads it: everything can be shown, limits are numbers,
 * every reference exists.
 */
import { currencyDecimals } from '../../../core/ramp/currencies.ts';
import { parseDecimal, RATE_DECIMALS } from '../../../core/ramp/money.ts';
import { readPaymentId } from '../../../core/ramp/payment-ids.ts';
import type { Answer } from './provider-client.ts';
import { type Report, unless } from './report.ts';

const REGION = /^[a-z]{2}(?:-[a-z0-9]{1,3})?$/i;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export interface Limit {
  readonly id: string;
  readonly min?: string;
  readonly max?: string;
}

export interface Feature {
  readonly enabled?: unknown;
  readonly enable?: unknown;
  readonly redirectOrderId?: unknown;
}

/** The parts of a configuration that are used here. The check of missing ones comes first. */
export interface Published {
  readonly features: Readonly<Record<string, Feature | undefined>>;
  readonly countries: readonly { id: string; states?: readonly { id: string }[] }[];
  readonly payments: readonly { id: string }[];
  readonly fiat: readonly { id: string; paymentLimits: readonly Limit[] }[];
  readonly crypto: readonly {
    id: string;
    address: string;
    network: string;
    paymentLimits: readonly Limit[];
    payoutLimits: readonly Limit[];
    payoutLimit?: readonly Limit[];
  }[];
}

/** Undefined: the configuration cannot be used. */
export function checkConfiguration(
  name: 'config' | 'sell-config',
  { status, members }: Answer,
  report: Report,
): Published | undefined {
  const lists = ['countries', 'payments', 'fiat', 'crypto'] as const;
  const missing = lists.filter((each) => !isFilled(members[each]));
  const isThere = status === 200 && members.features !== undefined && missing.length === 0;
  const what = missing.length > 0 ? `without ${missing.join(', ')}` : 'without features';
  report.note(`${name}.answer`, 'answers', unless(isThere, `status ${status}, ${what}`));
  if (!isThere) return undefined;
  const config = members as unknown as Published;
  const { version, updatedAt } = members;
  const isDated = typeof version === 'string' && !Number.isNaN(Date.parse(String(updatedAt)));
  report.note(`${name}.version`, 'version and updatedAt', unless(isDated, 'they cannot be read'));
  checkFeatures(name, config, report);
  checkNames(name, config, report);
  checkLimits(name, config, report);
  return config;
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Accepts features in either of the two layouts. */
function checkFeatures(name: string, { features }: Published, report: Report): void {
  const wrong = ['quotes', 'orderTracking'].filter(
    (each) => features[each] !== undefined && typeof features[each]?.enabled !== 'boolean',
  );
  const { buy } = features;
  const isOn = buy?.enable ?? buy?.enabled;
  if (buy !== undefined && typeof isOn !== 'boolean') wrong.push('buy');
  const names = buy === undefined ? ['orderId'] : buy.redirectOrderId;
  if (!isFilled(names) || !(names as unknown[]).every((each) => typeof each === 'string')) {
    wrong.push('buy.redirectOrderId');
  }
  const texts = wrong.map((each) => `features.${each} does not have the expected form`);
  report.note(`${name}.features`, 'features', texts);
}

function checkNames(name: string, config: Published, report: Report): void {
  const { countries, payments, fiat, crypto } = config;
  const regions = countries.flatMap(({ id, states = [] }) => [
    id,
    ...states.map((each) => each.id),
  ]);
  const wrong = [
    ...regions.filter((id) => !REGION.test(id)).map((id) => `region ${id}`),
    ...payments.filter(({ id }) => !isPayment(id)).map(({ id }) => `payment ${id}`),
    ...fiat.filter(({ id }) => currencyDecimals(id) === undefined).map(({ id }) => `fiat ${id}`),
    ...crypto
      .filter(({ address, network }) => !ADDRESS.test(address) || !/^[0-9]+$/.test(network))
      .map(({ id }) => `crypto ${id}: address or network`),
  ];
  report.note(`${name}.names`, 'regions, payments, currencies, tokens', wrong);
}

/** Ids with underscores are from older samples; wallets ignore unknown members. */
function isPayment(id: unknown): boolean {
  return typeof id === 'string' && !id.includes('_') && readPaymentId(id) !== undefined;
}

function checkLimits(name: string, config: Published, report: Report): void {
  const known = new Set(config.payments.map(({ id }) => id));
  const rows = [
    ...config.fiat.map(({ id, paymentLimits }) => [id, paymentLimits] as const),
    ...config.crypto.flatMap(({ id, paymentLimits, payoutLimits, payoutLimit }) => [
      ...[[id, paymentLimits] as const, [id, payoutLimits ?? payoutLimit] as const],
    ]),
  ];
  const wrong = rows.flatMap(([owner, limits]) =>
    Array.isArray(limits)
      ? limits.flatMap((limit: Limit) => faultsOf(limit, known, owner))
      : [`${owner} has no list of limits`],
  );
  report.note(`${name}.limits`, 'limits', wrong);
}

function faultsOf({ id, min, max }: Limit, known: ReadonlySet<string>, owner: string): string[] {
  const where = `limits of ${owner} for ${id}`;
  if (!known.has(id)) return [`${where}: no such payment is published`];
  const [low, high] = [unitsOf(min ?? '0'), unitsOf(max ?? '1')];
  if (low === undefined || high === undefined)
    return [`${where}: ${JSON.stringify(min)} to ${JSON.stringify(max)} are not decimal texts`];
  if (high === 0n) return [`${where}: a max of 0 means no limit`];
  return max !== undefined && low > high ? [`${where}: min ${min} is above max ${max}`] : [];
}

/** Undefined: not a decimal text. */
export function unitsOf(text: unknown): bigint | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return parseDecimal(text, RATE_DECIMALS);
  } catch {
    return undefined;
  }
}
