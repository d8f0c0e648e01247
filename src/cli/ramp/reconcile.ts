/**
 * `quorate ramp reconcile`: the books of the on-ramp against the ledger and its payment providers.
 */
import { fail } from '../../core/base/errors.ts';
import { readStart } from '../../core/ramp/date-range.ts';
import { systemClock } from '../../io/host/clock.ts';
import { LedgerClient } from '../../io/ledger-client/ledger-client.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { reconcileSettings } from '../../services/ramp/config.ts';
import { RAMP_ROWS } from '../../services/ramp/options.ts';
import { composeProviders } from '../../services/ramp/payment/compose.ts';
import type { Section } from '../../services/ramp/reconcile/difference.ts';
import { reconcile } from '../../services/ramp/reconcile/reconcile.ts';
import { isRampStoreThere, openRampStore } from '../../services/ramp/store/open.ts';
import type { Command } from '../command.ts';
import { jsonRow } from '../json-row.ts';
import { stderrLog } from '../log.ts';

const GROUP = 'Reconciliation';
const WARN = 2;
const DAY_MS = 24 * 60 * 60_000;
const OF_SERVICE: readonly string[] = [
  ...['datadir', 'store', 'config', 'ledger.url', 'ledger.from', 'stripe.key-file', 'stripe.url'],
];

export const rampReconcileCommand: Command = {
  name: 'ramp reconcile',
  about:
    'Compares the books of the on-ramp with the ledger and with its payment providers, while it runs, and lists the differences. The exit code is 1 if there are any.',
  examples: [
    {
      does: 'every day, for the last day',
      line: 'quorate ramp reconcile --datadir ramp-data --ledger.url http://127.0.0.1:8545 --ledger.from 0xfe3b557e8fb62b89f4916b721be55ceb828dbd73',
    },
    {
      does: 'after the account was funded: accept its present balance',
      line: 'quorate ramp reconcile --accept --ledger.from 0xfe3b557e8fb62b89f4916b721be55ceb828dbd73',
    },
  ],
  fileRows: RAMP_ROWS,
  rows: [
    ...RAMP_ROWS.filter(({ flag }) => OF_SERVICE.includes(flag)),
    {
      flag: 'since',
      type: 'string',
      about: 'Compare orders from this time on, such as 2026-01-31; default: 25 hours ago',
      group: GROUP,
    },
    {
      flag: 'accept',
      type: 'boolean',
      default: false,
      about: 'Accept what the account has beyond the books: later differences are relative to it',
      group: GROUP,
    },
    jsonRow(GROUP),
  ],
  async run(options) {
    const nowMs = systemClock.nowMs();
    const sinceMs = sinceOf(options, nowMs);
    const settings = reconcileSettings(options);
    if (!isRampStoreThere(settings)) {
      const where = `there is no store in ${settings.dataFolder}`;
      throw fail('STORAGE_MISSING', `${where}: give the --datadir or --store of the service`);
    }
    const log = stderrLog(WARN);
    const database = await openRampStore(settings, process.env, log);
    const ledger = new LedgerClient(settings.ledgerUrl);
    try {
      const parts = { database, clock: systemClock, log, lookMs: DAY_MS, place: { url: '' } };
      const { adapters } = await composeProviders(settings, parts);
      const sections = await reconcile({
        ...{ database, ledger, from: settings.from, adapters: [...adapters.values()] },
        ...{ sinceMs, nowMs, isAccepted: options.boolean('accept') },
      });
      if (options.boolean('json')) console.log(JSON.stringify(sections));
      else print(sections);
      return Object.values(sections).some(({ differences }) => differences.length > 0) ? 1 : 0;
    } finally {
      ledger.close();
      await database.close();
    }
  },
};

/** An hour more than a day, so that a daily run leaves nothing out. */
function sinceOf(options: ParsedOptions, nowMs: number): number {
  const text = options.string('since');
  if (text === undefined) return nowMs - DAY_MS - DAY_MS / 24;
  try {
    return readStart(text);
  } catch (cause) {
    throw fail('OPTION_VALUE_INVALID', `--since ${(cause as Error).message}`, { cause });
  }
}

function print(sections: Readonly<Record<string, Section>>): void {
  for (const [name, { counts, differences }] of Object.entries(sections)) {
    const looked = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
    const outcome = differences.length === 0 ? 'no difference' : `${differences.length} differ`;
    console.log(`${name}: ${looked.join(', ')}: ${outcome}`);
    for (const { code, orderId, text } of differences) {
      console.log(`  ${code}${orderId === undefined ? '' : ` order ${orderId}`}: ${text}`);
    }
  }
}
