/** `quorate migrate compare`. */
import { fail } from '../../core/base/errors.ts';
import { installCrypto } from '../../io/crypto/crypto.ts';
import { RpcBatchClient } from '../../io/ledger-client/rpc-batch.ts';
import {
  compareNodes,
  type NodeComparison,
} from '../../services/ledger/migration/compare-nodes.ts';
import type { Command } from '../command.ts';

const GROUP = 'Comparison';
const SAMPLES = 10_000;
/** Exit status: something differs, and is reported. */
const FOUND_EXIT_CODE = 2;
const PROGRESS_MS = 5_000;

export const migrateCompareCommand: Command = {
  name: 'migrate compare',
  about:
    'Sends the same requests to an old and a new node of the same chain, sampled over all blocks, transactions, accounts and contracts, and compares the answers. Additional members in the answers of the new one are not differences.',
  operands: '<URL of the old node> <URL of the new one>',
  operandsMax: 2,
  examples: [
    {
      does: 'compare a GoQuorum node with the one that replaces it',
      line: 'quorate migrate compare http://127.0.0.1:8545 http://127.0.0.1:9545',
    },
  ],
  rows: [
    {
      flag: 'samples',
      type: 'integer',
      default: SAMPLES,
      about: 'Number of compared answers',
      group: GROUP,
    },
    {
      flag: 'seed',
      type: 'integer',
      default: 1,
      about: 'Seed of the sample: the same seed selects the same requests on the same chain',
      group: GROUP,
    },
    {
      flag: 'public',
      type: 'boolean',
      about:
        'Leave out what only the parties of private transactions know: for comparing two members with different private states',
      group: GROUP,
    },
  ],
  async run(options) {
    const [old, now] = options.positional.map(urlOf);
    if (old === undefined || now === undefined) {
      throw fail(
        'OPTION_VALUE_MISSING',
        'name both nodes: quorate migrate compare http://old:8545 http://new:8545',
      );
    }
    await installCrypto();
    const before = new RpcBatchClient(old);
    const after = new RpcBatchClient(now);
    let next = performance.now() + PROGRESS_MS;
    const samples = options.number('samples')!;
    try {
      const comparison = await compareNodes(before, after, {
        ...{ samples, seed: options.number('seed')! },
        isPublic: options.boolean('public') === true,
        onProgress(asked) {
          if (performance.now() < next) return;
          next = performance.now() + PROGRESS_MS;
          console.error(`Compared ${asked} of ${samples} answers`);
        },
      });
      console.log(told(comparison));
      return comparison.differences.length === 0 ? 0 : FOUND_EXIT_CODE;
    } finally {
      before.close();
      after.close();
    }
  },
};

/** Throws OPTION_VALUE_INVALID. */
function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text;
  throw fail('OPTION_VALUE_INVALID', `${text} is not the URL of a node's HTTP server`);
}

function told({ asked, upTo, methods, differences }: NodeComparison): string {
  const rows = [...methods].map(([method, { same, different, untold }]) =>
    [
      method.padEnd(42),
      ...[same, different, untold].map((count) => String(count).padStart(10)),
    ].join(''),
  );
  return [
    `Compared ${asked} answers up to block ${upTo}:`,
    ['method'.padEnd(42), 'same', 'different', 'untold']
      .map((name, at) => (at === 0 ? name : name.padStart(10)))
      .join(''),
    ...rows,
    ...differences.flatMap(({ call, old, now }) => [
      `DIFFERENT: ${call.method} ${JSON.stringify(call.params)}`,
      `  old: ${old}`,
      `  new: ${now}`,
    ]),
    differences.length === 0
      ? 'Nothing differs.'
      : 'Intended differences are listed in docs/known-differences.md.',
  ].join('\n');
}
