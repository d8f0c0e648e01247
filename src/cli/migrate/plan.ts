/** `quorate migrate plan`. */
import { fail } from '../../core/base/errors.ts';
import { RpcBatchClient } from '../../io/ledger-client/rpc-batch.ts';
import { askNode } from '../../services/ledger/migration/plan/ask-node.ts';
import {
  type MigrationPlan,
  type PlanStep,
  planMigration,
} from '../../services/ledger/migration/plan/plan.ts';
import type { Command } from '../command.ts';

/** Exit status: there is an obstacle, which is reported. */
const FOUND_EXIT_CODE = 2;
const NODES_MAX = 1_000;
const ASKED_AT_ONCE = 16;

export const migratePlanCommand: Command = {
  name: 'migrate plan',
  about:
    'Asks the nodes of a GoQuorum network for their role, and prints the order in which to migrate them, the commands of each step, how many voting members remain at each step, and all obstacles. Nothing is changed.',
  operands: '<URL of a node>...',
  operandsMax: NODES_MAX,
  examples: [
    {
      does: 'a network of four; its nodes offer admin, istanbul and rpc in --http.api',
      line: 'quorate migrate plan http://10.0.0.1:8545 http://10.0.0.2:8545 http://10.0.0.3:8545 http://10.0.0.4:8545',
    },
  ],
  rows: [],
  async run(options) {
    const urls = [...new Set(options.positional)];
    if (urls.length === 0) {
      throw fail(
        'OPTION_VALUE_MISSING',
        'name the nodes: quorate migrate plan http://node1:8545 http://node2:8545 ...',
      );
    }
    for (const url of urls) checkUrl(url);
    const nodes = [];
    for (let at = 0; at < urls.length; at += ASKED_AT_ONCE) {
      nodes.push(...(await Promise.all(urls.slice(at, at + ASKED_AT_ONCE).map(asked))));
    }
    const plan = planMigration(nodes);
    console.log(told(plan));
    return plan.blockers.length > 0 ? FOUND_EXIT_CODE : 0;
  },
};

async function asked(url: string) {
  const client = new RpcBatchClient(url);
  try {
    return await askNode({ url, ask: (calls) => client.ask(calls) });
  } finally {
    client.close();
  }
}

/** Throws OPTION_VALUE_INVALID. */
function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return;
  throw fail('OPTION_VALUE_INVALID', `${text} is not the URL of a node's HTTP server`);
}

function told({ engine, head, steps, blockers, warnings }: MigrationPlan): string {
  return [
    `Engine: ${engine}. Head: ${head}.`,
    ...blockers.map((text) => `STOPS IT: ${text}`),
    ...warnings.map((text) => `Look at: ${text}`),
    ...steps.flatMap((step, at) => toldStep(step, at + 1, steps.length)),
    ...(blockers.length > 0
      ? ['Remove the obstacles, and run this again.']
      : steps.length > 0
        ? ['After each step watch the node for 50 blocks before the next one begins.']
        : []),
  ].join('\n');
}

function toldStep({ node, role, left, seconds }: PlanStep, number: number, of: number): string[] {
  const datadir = node.datadir ?? 'DATADIR';
  const quorum = left
    ? `${left.voting} vote while it is down, ${left.needed} must${left.voting < left.needed ? ': THE CHAIN STOPS' : ''}`
    : 'it does not vote: the chain continues';
  const ptm = node.hasPrivate ? ' --ptm.url URL' : '';
  return [
    '',
    `Step ${number} of ${of}: ${node.url} (${role}), ${node.version}`,
    `  ${quorum}; about ${node.transactions} transactions, ${seconds} s of copying`,
    `  look:     quorate migrate datadir ${datadir} --genesis genesis.json --dry-run`,
    '  stop the node and wait until its process has ended',
    `  migrate:  quorate migrate datadir ${datadir} --datadir DATA --genesis genesis.json`,
    ...(node.hasPrivate
      ? [
          '  manager:  Tessera may stay; later: quorate migrate manager --configfile tessera.json --ptmdir PTM',
        ]
      : []),
    `  start:    quorate node --datadir DATA${ptm} and the flags that the node had`,
    `  compare:  quorate migrate compare ANOTHER-NODE ${node.url}`,
    `  back:     stop it, and start GoQuorum on ${datadir} again: it was only read`,
  ];
}
