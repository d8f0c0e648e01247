/** `quorate ramp conformance`: tests any provider in the role of an aggregator. */
import { fail } from '../../core/base/errors.ts';
import { readText } from '../../io/host/files.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { conformance } from '../../services/ramp/conformance/conformance.ts';
import { ProviderClient } from '../../services/ramp/conformance/provider-client.ts';
import type { Finding } from '../../services/ramp/conformance/report.ts';
import type { Command } from '../command.ts';
import { jsonRow } from '../json-row.ts';

const GROUP = 'Conformance';

export const rampConformanceCommand: Command = {
  name: 'ramp conformance',
  about:
    'Tests a provider of on- and off-ramps, this one or any other, as an aggregator, and prints what differs: configurations, quotes, pages, orders, lists, custom ids, the check of a hashed address. It pays nothing. The exit code is 1 if something differs.',
  operands: 'URL',
  operandsMax: 1,
  examples: [
    {
      does: 'the on-ramp of the devnet, with the token of its test partner',
      line: 'quorate ramp conformance http://127.0.0.1:8560 --partner https://aggregator.example/ --token-file token',
    },
  ],
  rows: [
    {
      flag: 'partner',
      type: 'string',
      default: 'https://aggregator.example/',
      about: 'partnerAccountId for the requests',
      group: GROUP,
    },
    {
      flag: 'redirect-url',
      type: 'string',
      default: 'https://example.org/done',
      about: 'A redirect URL that the provider allows for this partner',
      group: GROUP,
    },
    {
      flag: 'wallet',
      type: 'string',
      default: `0x${'e7'.repeat(20)}`,
      about: 'Wallet of the customer',
      group: GROUP,
    },
    {
      flag: 'order',
      type: 'string',
      about: 'Id of an existing buy of this wallet; default: the first of the list',
      group: GROUP,
    },
    {
      flag: 'token-file',
      type: 'string',
      unit: 'file',
      about: "Holds the partner's bearer token; default: checks that need a credential are not run",
      group: GROUP,
    },
    {
      flag: 'api-key-file',
      type: 'string',
      unit: 'file',
      about: "Holds the partner's API key, instead of a token",
      group: GROUP,
    },
    {
      flag: 'verify-path',
      type: 'string',
      default: '/verify-user',
      about: 'Path of the check of a hashed address',
      group: GROUP,
    },
    jsonRow(GROUP),
  ],
  async run(options) {
    const [url] = options.positional;
    if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url)) {
      throw fail('OPTION_VALUE_MISSING', 'name the provider: quorate ramp conformance URL');
    }
    const client = new ProviderClient(url, credentialOf(options));
    try {
      const { findings } = await conformance({
        ...{ client, partnerAccountId: options.string('partner')! },
        ...{ redirectUrl: options.string('redirect-url')!, wallet: options.string('wallet')! },
        ...{ verifyPath: options.string('verify-path')!, orderId: options.string('order') },
      });
      if (options.boolean('json')) console.log(JSON.stringify(findings));
      else print(findings);
      return findings.some(({ outcome }) => outcome === 'differs') ? 1 : 0;
    } finally {
      client.close();
    }
  },
};

function credentialOf(options: ParsedOptions): Record<string, string> | undefined {
  const [token, key] = [options.string('token-file'), options.string('api-key-file')];
  if (token !== undefined) return { authorization: `Bearer ${secretIn(token)}` };
  return key === undefined ? undefined : { 'x-api-key': secretIn(key) };
}

function secretIn(file: string): string {
  const text = readText(file).trim();
  if (/^[!-~]+$/.test(text)) return text;
  throw fail('OPTION_VALUE_INVALID', `${file} must hold one line without spaces`);
}

function print(findings: readonly Finding[]): void {
  for (const { check, outcome, text } of findings) {
    console.log(`${outcome.padEnd(8)} ${check.padEnd(26)} ${text}`);
  }
  const count = (wanted: Finding['outcome']) =>
    findings.filter(({ outcome }) => outcome === wanted).length;
  console.log(`${count('ok')} ok, ${count('differs')} differ, ${count('not run')} not run`);
}
