/** The metrics of every service, from the rows with which the services describe them. */
import type { MetricRow } from '../../src/io/telemetry/metric-rows.ts';
import { NODE_METRICS } from '../../src/services/ledger/monitoring/metric-rows.ts';
import { MANAGER_METRICS } from '../../src/services/ptm/metric-rows.ts';
import { RAMP_METRICS } from '../../src/services/ramp/operation/metric-rows.ts';
import { PROXY_METRICS } from '../../src/services/signer/metric-rows.ts';
import { STAKING_METRICS } from '../../src/services/staking/metric-rows.ts';
import { tableCell } from '../table-cell.ts';

/** With the page about the metrics of the service. */
export const METRICS_OF: Readonly<
  Record<string, { readonly rows: readonly MetricRow[]; readonly page: string }>
> = {
  Node: { rows: NODE_METRICS, page: 'metrics.md' },
  'Private transaction manager': { rows: MANAGER_METRICS, page: 'manager.md#metrics' },
  'Signing proxy': { rows: PROXY_METRICS, page: 'signer-operation.md#metrics' },
  Staking: { rows: STAKING_METRICS, page: 'staking.md#in-production' },
  'On- and off-ramp': { rows: RAMP_METRICS, page: 'ramp.md#operation' },
};

export function metricsPage(): string {
  return [
    '# Names of metrics',
    '',
    'From the tables in the code; a scrape has the same texts as `# HELP`. `<…>` stands for a part that varies, labels are in',
    'braces. Which of them to watch is on the page of each service and in [monitoring](monitoring.md).',
    '',
    ...Object.entries(METRICS_OF).flatMap(([title, { rows, page }]) => [
      `## ${title}`,
      '',
      `[In use](${page}).`,
      '',
      '| name | type | what |',
      '|---|---|---|',
      ...rows
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, type, about }) => `| \`${name}\` | ${type} | ${tableCell(about)} |`),
      '',
    ]),
  ].join('\n');
}
