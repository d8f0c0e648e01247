/** What all nodes of a network must say alike once it rests: blocks, receipts, and everything about validators. */
import { isDeepStrictEqual } from 'node:util';
import { fromHex } from '../../../src/core/base/hex.ts';
import { type BftExtra, readBftExtra } from '../../../src/core/chain/extra-data.ts';
import type { BftNode } from '../../support/bft-processes.ts';
import { until } from '../../support/conditions.ts';
import { postJson } from '../../support/rpc-client.ts';

const BATCH_MAX = 50;
const FINDINGS_MAX = 50;

type Json = Record<string, any>;
type Call = readonly [method: string, ...params: unknown[]];

export interface Agreement {
  readonly comparisons: number;
  readonly findings: string[];
  readonly transactions: number;
  /** Blocks decided in a later round than the first (QBFT blocks alone tell). */
  readonly laterRounds: number;
  readonly blocks: { readonly ibft: number; readonly qbft: number };
  readonly longestSeconds: number;
  /** Of a running pair: blocks proposed by nodes of ours. */
  readonly proposedByOurs: number;
}

/** Compares every block up to `head`, its receipts, and the `istanbul_*` answers. */
export async function compareAll(nodes: readonly BftNode[], head: number): Promise<Agreement> {
  const comparer = new Comparer(nodes);
  const blocks = await comparer.blocks(head);
  await comparer.receipts(blocks.flatMap(({ transactions }) => transactions as string[]));
  await comparer.validators(blocks, head);
  const engines = blocks.map(({ extra }) => extra as BftExtra);
  const times = blocks.map(({ timestamp }) => Number(timestamp));
  const ours = new Set(nodes.filter(({ kind }) => kind === 'q').map(({ address }) => address));
  return {
    comparisons: comparer.comparisons,
    findings: comparer.findings,
    transactions: blocks.reduce((sum, block) => sum + block.transactions.length, 0),
    laterRounds: engines.filter((extra) => extra.kind === 'qbft' && extra.round > 0).length,
    blocks: {
      ibft: engines.filter(({ kind }) => kind === 'ibft').length,
      qbft: engines.filter(({ kind }) => kind === 'qbft').length,
    },
    longestSeconds: Math.max(...times.slice(1).map((time, at) => time - times[at]!)),
    proposedByOurs: comparer.authors.filter((author) => ours.has(author)).length,
  };
}

class Comparer {
  comparisons = 0;
  readonly findings: string[] = [];
  readonly authors: string[] = [];
  private readonly nodes: readonly BftNode[];

  constructor(nodes: readonly BftNode[]) {
    this.nodes = nodes;
  }

  /** Blocks 1 to `head` of the first node. */
  async blocks(head: number): Promise<Json[]> {
    const calls = range(1, head).map((n): Call => ['eth_getBlockByNumber', hex(n), false]);
    return (await this.everywhere(calls, withoutSeals)) as Json[];
  }

  async receipts(hashes: readonly string[]): Promise<void> {
    await this.everywhere(hashes.map((hash) => ['eth_getTransactionReceipt', hash]));
  }

  async validators(blocks: readonly Json[], head: number): Promise<void> {
    const numbers = blocks.map(({ number }) => number as string);
    const hashes = blocks.map(({ hash }) => hash as string);
    const sets = await this.everywhere(numbers.map((n) => ['istanbul_getValidators', n]));
    await this.everywhere(hashes.map((hash) => ['istanbul_getValidatorsAtHash', hash]));
    await this.everywhere(
      numbers.map((n) => ['istanbul_getSnapshot', n]),
      withVotes,
    );
    await this.everywhere(
      hashes.map((hash) => ['istanbul_getSnapshotAtHash', hash]),
      withVotes,
    );
    const signers = numbers.map((n): Call => ['istanbul_getSignersFromBlock', n]);
    const named = (await this.everywhere(signers, spelled)) as Json[];
    this.authors.push(...named.map(({ author }) => author as string));
    await this.everywhere(
      hashes.map((hash) => ['istanbul_getSignersFromBlockByHash', hash]),
      spelled,
    );
    await this.everywhere([
      ['istanbul_status', '0x1', hex(head)],
      ['istanbul_status', hex(head >> 1), hex(head)],
      ['istanbul_candidates'],
      ['istanbul_getValidators', hex(head + 1000)],
      ['istanbul_status', hex(head), '0x1'],
    ]);
    await this.latestStatus();
    await this.ownAnswers(numbers, sets as string[][]);
  }

  /** Of the latest blocks, asked at a moment in which no block comes. */
  private async latestStatus(): Promise<void> {
    const calls: Call[] = [['eth_blockNumber'], ['istanbul_status'], ['eth_blockNumber']];
    const answers = await until('all nodes rest at one head', async () => {
      const each = await Promise.all(this.nodes.map((node) => ask(node, calls)));
      const heads = each.flatMap(([before, , after]) => [before, after]);
      return new Set(heads).size === 1 ? each : undefined;
    });
    for (const [at, [, status]] of answers.entries())
      this.check(`${this.nodes[at]!.name} istanbul_status`, answers[0]![1], status);
  }

  /** What each node says of itself: its address, and whether it was a validator. */
  private async ownAnswers(
    numbers: readonly string[],
    sets: readonly (readonly string[])[],
  ): Promise<void> {
    for (const node of this.nodes) {
      const [address] = await ask(node, [['istanbul_nodeAddress']]);
      this.check(`${node.name} istanbul_nodeAddress`, node.address, address);
      const answers = await ask(
        node,
        numbers.map((n) => ['istanbul_isValidator', n]),
      );
      for (const [at, answer] of answers.entries())
        this.check(
          `${node.name} istanbul_isValidator ${numbers[at]}`,
          sets[at]!.includes(node.address),
          answer,
        );
    }
  }

  private async everywhere(
    calls: readonly Call[],
    view: (answer: Json) => unknown = (answer) => answer,
  ): Promise<unknown[]> {
    const [first, ...others] = await Promise.all(this.nodes.map((node) => ask(node, calls)));
    for (const [at, answers] of others.entries()) {
      for (const [which, answer] of answers.entries()) {
        const expected = view(first![which] as Json);
        const name = `${this.nodes[at + 1]!.name} ${JSON.stringify(calls[which])}`;
        this.check(name, expected, view(answer as Json));
      }
    }
    return first!.map((answer) => view(answer as Json));
  }

  private check(what: string, expected: unknown, answer: unknown): void {
    this.comparisons++;
    if (isDeepStrictEqual(expected, answer) || this.findings.length >= FINDINGS_MAX) return;
    this.findings.push(`${what}: ${JSON.stringify(expected)} and ${JSON.stringify(answer)}`);
  }
}

async function ask(node: BftNode, calls: readonly Call[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let first = 0; first < calls.length; first += BATCH_MAX) {
    const batch = calls
      .slice(first, first + BATCH_MAX)
      .map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
    const replies = (await postJson(node.url, batch)) as Json[];
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    answers.push(...batch.map(({ id }) => byId.get(id)?.error ?? byId.get(id)?.result));
  }
  return answers;
}

/** Each node keeps the seals that it collected: one hash, several sets. */
function withoutSeals({ extraData, size, ...block }: Json): unknown {
  const { seals, ...extra } = readBftExtra(fromHex(extraData))!;
  return { ...block, extra };
}

/** null and [] say the same. */
function withVotes(answer: Json): unknown {
  return { ...answer, votes: answer.votes ?? [] };
}

/** GoQuorum spells the keys with capitals; the seals differ from node to node. */
function spelled(answer: Json): unknown {
  return {
    number: answer.number ?? answer.Number,
    hash: answer.hash ?? answer.Hash,
    author: answer.author ?? answer.Author,
  };
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}
