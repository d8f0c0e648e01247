/**
 * What all nodes of a BFT network at the same head must answer alike: blocks, receipts, and
 * everything about validators.
 */
import type { BftExtra } from '../../../src/core/chain/extra-data.ts';
import type { BftNode } from '../../support/bft-processes.ts';
import { until } from '../../support/conditions.ts';
import { ask, type Call, Comparer, hex, type Json } from './comparer.ts';

export interface Agreement {
  readonly comparisons: number;
  readonly findings: string[];
  readonly transactions: number;
  /** Blocks decided in a later round than the first (only QBFT blocks record the round). */
  readonly laterRounds: number;
  readonly blocks: { readonly ibft: number; readonly qbft: number };
  readonly longestSeconds: number;
  readonly proposedByOurs: number;
}

/** Compares every block up to `head`, its receipts, and the `istanbul_*` answers. */
export async function compareAll(nodes: readonly BftNode[], head: number): Promise<Agreement> {
  const comparer = new Comparer(nodes);
  const blocks = await comparer.blocks(head);
  const transactions = await comparer.receipts(blocks);
  const authors = await compareValidators(comparer, nodes, blocks);
  await compareStatus(comparer, nodes, head);
  const engines = blocks.map(({ extra }) => extra as BftExtra);
  const times = blocks.map(({ timestamp }) => Number(timestamp));
  const ours = new Set(nodes.filter(({ kind }) => kind === 'q').map(({ address }) => address));
  return {
    comparisons: comparer.comparisons,
    findings: comparer.findings,
    transactions,
    laterRounds: engines.filter((extra) => extra.kind === 'qbft' && extra.round > 0).length,
    blocks: {
      ibft: engines.filter(({ kind }) => kind === 'ibft').length,
      qbft: engines.filter(({ kind }) => kind === 'qbft').length,
    },
    longestSeconds: Math.max(...times.slice(1).map((time, at) => time - times[at]!)),
    proposedByOurs: authors.filter((author) => ours.has(author)).length,
  };
}

/** Resolves with the proposer of each block. */
async function compareValidators(
  comparer: Comparer,
  nodes: readonly BftNode[],
  blocks: readonly Json[],
): Promise<string[]> {
  const numbers = blocks.map(({ number }) => number as string);
  const hashes = blocks.map(({ hash }) => hash as string);
  const all = (method: string, params: readonly string[], view?: (answer: Json) => unknown) =>
    comparer.everywhere(
      params.map((param): Call => [method, param]),
      view,
    );
  const sets = (await all('istanbul_getValidators', numbers)) as string[][];
  await all('istanbul_getValidatorsAtHash', hashes);
  await all('istanbul_getSnapshot', numbers, withVotes);
  await all('istanbul_getSnapshotAtHash', hashes, withVotes);
  const signers = await all('istanbul_getSignersFromBlock', numbers, spelled);
  await all('istanbul_getSignersFromBlockByHash', hashes, spelled);
  for (const node of nodes) {
    const [address] = await ask(node, [['istanbul_nodeAddress']]);
    comparer.check(`${node.name} istanbul_nodeAddress`, node.address, address);
    const calls = numbers.map((n): Call => ['istanbul_isValidator', n]);
    for (const [at, answer] of (await ask(node, calls)).entries()) {
      const isMember = sets[at]!.includes(node.address);
      comparer.check(`${node.name} istanbul_isValidator ${numbers[at]}`, isMember, answer);
    }
  }
  return signers.map((answer) => (answer as Json).author as string);
}

async function compareStatus(
  comparer: Comparer,
  nodes: readonly BftNode[],
  head: number,
): Promise<void> {
  await comparer.everywhere([
    ['istanbul_status', '0x1', hex(head)],
    ['istanbul_status', hex(head >> 1), hex(head)],
    ['istanbul_status', hex(head), '0x1'],
    ['istanbul_candidates'],
    ['istanbul_getValidators', hex(head + 1000)],
  ]);
  // For the latest block, asked at a moment when no new block comes.
  const calls: Call[] = [['eth_blockNumber'], ['istanbul_status'], ['eth_blockNumber']];
  const answers = await until('all nodes rest at one head', async () => {
    const each = await Promise.all(nodes.map((node) => ask(node, calls)));
    const heads = each.flatMap(([before, , after]) => [before, after]);
    return new Set(heads).size === 1 ? each : undefined;
  });
  for (const [at, [, status]] of answers.entries())
    comparer.check(`${nodes[at]!.name} istanbul_status`, answers[0]![1], status);
}

/** null and [] mean the same. */
function withVotes(answer: Json): unknown {
  return { ...answer, votes: answer.votes ?? [] };
}

/** GoQuorum capitalises the keys; the seals differ from node to node. */
function spelled(answer: Json): unknown {
  return {
    number: answer.number ?? answer.Number,
    hash: answer.hash ?? answer.Hash,
    author: answer.author ?? answer.Author,
  };
}
