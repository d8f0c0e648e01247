/** Valid and invalid requests for quotes. */
import { currencyDecimals } from '../../../core/ramp/currencies.ts';
import { type Published, unitsOf } from './configuration-checks.ts';
import type { ProviderClient, Query } from './provider-client.ts';
import { type Report, unless } from './report.ts';

export type Asked = Readonly<Record<string, string>>;

const WRONG_AMOUNTS = ['', '-1', '+1', '1e5', '0x10', '1.', 'NaN', '1,5', '0'];

/** The first country, currency and token, at the minimum amount; undefined: there is none. */
export function firstAsked(
  { countries, fiat, crypto }: Published,
  side: 'buy' | 'sell',
  partnerAccountId: string,
): Asked | undefined {
  const [country, currency, token] = [countries[0], fiat[0], crypto[0]];
  if (!country || !currency || !token) return undefined;
  const limits =
    side === 'buy' ? currency.paymentLimits : (token.payoutLimits ?? token.payoutLimit);
  const limit = limits?.[0];
  if (!limit) return undefined;
  return {
    ...{ region: country.states?.[0]?.id ?? country.id, payment: limit.id, crypto: token.id },
    ...{ fiat: currency.id, amount: String(limit.min ?? '1'), partnerAccountId },
  };
}

export async function checkQuotes(
  side: 'buy' | 'sell',
  asked: Asked,
  client: ProviderClient,
  report: Report,
): Promise<void> {
  const path = side === 'buy' ? '/quote' : '/sell-quote';
  const name = side === 'buy' ? 'quote' : 'sell-quote';
  const answer = await client.ask(path, asked, { headers: { origin: 'https://wallet.example' } });
  const { processingFee, networkFee, amountOut } = answer.members;
  const what = `${asked.amount} for ${side === 'buy' ? asked.crypto : asked.fiat}`;
  const isGood = answer.status === 200 && (unitsOf(String(amountOut)) ?? 0n) > 0n;
  report.note(`${name}.answer`, what, unless(isGood, `status ${answer.status}: ${answer.text}`));
  if (!isGood) return;
  const texts = { processingFee, networkFee, amountOut };
  const wrong = Object.entries(texts).filter(([, value]) => unitsOf(value) === undefined);
  report.note(
    `${name}.amounts`,
    'decimal texts',
    wrong.map(([key, value]) => `${key} is ${JSON.stringify(value)}, not a decimal text`),
  );
  const shown = String(side === 'buy' ? processingFee : amountOut);
  const decimals = (shown.split('.')[1] ?? '').length;
  const most = currencyDecimals(asked.fiat!) ?? 2;
  const whole = unless(decimals <= most, `${shown} has more decimals than ${asked.fiat}`);
  report.note(`${name}.decimals`, `${asked.fiat} with ${most}`, whole);
  if (side === 'buy') {
    const net =
      unitsOf(asked.amount)! - (unitsOf(processingFee) ?? 0n) - (unitsOf(networkFee) ?? 0n);
    report.note(
      `${name}.fees`,
      'fees are inside the amount',
      unless(net > 0n, 'the fees exceed it'),
    );
  }
  const origin = answer.headers['access-control-allow-origin'];
  const open = unless(origin !== undefined, 'browsers may not read it: no CORS header');
  report.note(`${name}.cors`, 'browsers may read it', open);
  await checkRefusals(name, path, asked, client, report);
}

async function checkRefusals(
  name: string,
  path: string,
  asked: Asked,
  client: ProviderClient,
  report: Report,
): Promise<void> {
  const wrong: string[] = [];
  const refuses = async (query: Query, what: string) => {
    const { status } = await client.ask(path, query);
    if (status !== 400) wrong.push(`${what}: status ${status}, not 400`);
  };
  for (const key of Object.keys(asked)) {
    const { [key]: _, ...rest } = asked;
    await refuses(rest, `without ${key}`);
  }
  for (const amount of WRONG_AMOUNTS) await refuses({ ...asked, amount }, `amount "${amount}"`);
  for (const key of ['region', 'payment', 'crypto', 'fiat']) {
    await refuses({ ...asked, [key]: 'zz-nobody' }, `an unknown ${key}`);
  }
  await refuses([...Object.entries(asked), ['amount', asked.amount!]], 'amount twice');
  report.note(`${name}.refusals`, 'an invalid request gets 400', wrong);
}
