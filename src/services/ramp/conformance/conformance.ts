/**
 * Tests any provider as an aggregator, and reports what differs from the expectations of
 * aggregators.
 */
import { checkConfiguration, type Published } from './configuration-checks.ts';
import { checkOrders } from './order-checks.ts';
import type { ProviderClient } from './provider-client.ts';
import { checkQuotes, firstAsked } from './quote-checks.ts';
import { Report } from './report.ts';
import { checkVerify, checkWidget } from './widget-checks.ts';

export interface ConformanceParts {
  readonly client: ProviderClient;
  readonly partnerAccountId: string;
  readonly redirectUrl: string;
  readonly wallet: string;
  readonly verifyPath: string;
  /** The id of a known buy of `wallet`. */
  readonly orderId: string | undefined;
}

/** Throws HTTP_FAILED if the provider does not answer. */
export async function conformance(parts: ConformanceParts): Promise<Report> {
  const { client, verifyPath, orderId, wallet } = parts;
  const report = new Report();
  for (const side of ['buy', 'sell'] as const) {
    const name = side === 'buy' ? 'config' : 'sell-config';
    const path = side === 'buy' ? '/configuration' : '/sell-configuration';
    const config = checkConfiguration(name, await client.ask(path), report);
    if (config) await checkSide(side, config, parts, report);
    const order = side === 'buy' && orderId !== undefined ? { id: orderId, wallet } : undefined;
    await checkOrders(side, client, report, order);
  }
  await checkVerify(verifyPath, client, report);
  return report;
}

async function checkSide(
  side: 'buy' | 'sell',
  config: Published,
  { client, partnerAccountId, redirectUrl, wallet }: ConformanceParts,
  report: Report,
): Promise<void> {
  const asked = firstAsked(config, side, partnerAccountId);
  if (!asked) {
    report.skip(`${side}.page`, 'no offered combination is possible');
    return;
  }
  const { features } = config;
  const quotes =
    side === 'buy' ? features.quotes : (features.sellQuotes ?? features['sell-quotes']);
  if (quotes?.enabled === false) {
    report.skip(side === 'buy' ? 'quote.answer' : 'sell-quote.answer', 'it is switched off');
  } else {
    await checkQuotes(side, asked, client, report);
  }
  const isOff = side === 'buy' ? features.buy?.enable === false : features.sell?.enabled === false;
  if (isOff) report.skip(`${side}.page`, 'it is switched off');
  else await checkWidget({ side, asked, wallet, redirectUrl }, client, report);
}
