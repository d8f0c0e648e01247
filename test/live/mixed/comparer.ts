/**
 * Sends the same requests to all nodes of a network, and collects the differences between answers.
 */
import { isDeepStrictEqual } from 'node:util';
import { fromHex } from '../../../src/core/base/hex.ts';
import { readBftExtra } from '../../../src/core/chain/extra-data.ts';
import type { NodeProcess } from '../../support/node-process.ts';
import { postJson } from '../../support/rpc-client.ts';

const BATCH_MAX = 50;
/** For one batch, on a busy machine. */
const PATIENCE_MS = 180_000;
const FINDINGS_MAX = 50;

export type Json = Record<string, any>;
export type ComparedNode = Pick<NodeProcess, 'name' | 'url'>;
export type Call = readonly [method: string, ...params: unknown[]];

export class Comparer {
  comparisons = 0;
  readonly findings: string[] = [];
  private readonly nodes: readonly ComparedNode[];

  constructor(nodes: readonly ComparedNode[]) {
    this.nodes = nodes;
  }

  /** Blocks 1 to `head` of the first node; `extra` replaces the extra data of a BFT block. */
  async blocks(head: number): Promise<Json[]> {
    const numbers = Array.from({ length: head }, (_, at) => at + 1);
    const calls = numbers.map((n): Call => ['eth_getBlockByNumber', hex(n), false]);
    return (await this.everywhere(calls, withoutSeals)) as Json[];
  }

  /** Compares the receipts of all transactions in `blocks`; resolves with their number. */
  async receipts(blocks: readonly Json[]): Promise<number> {
    const hashes = blocks.flatMap(({ transactions }) => transactions as string[]);
    await this.everywhere(hashes.map((hash) => ['eth_getTransactionReceipt', hash]));
    return hashes.length;
  }

  /** Compares answers as `view` transforms them; resolves with the first node's. */
  async everywhere(
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

  check(what: string, expected: unknown, answer: unknown): void {
    this.comparisons++;
    if (isDeepStrictEqual(expected, answer) || this.findings.length >= FINDINGS_MAX) return;
    this.findings.push(`${what}: ${JSON.stringify(expected)} and ${JSON.stringify(answer)}`);
  }
}

/** Results and errors, in the order of `calls`. */
export async function ask(node: ComparedNode, calls: readonly Call[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let first = 0; first < calls.length; first += BATCH_MAX) {
    const batch = calls
      .slice(first, first + BATCH_MAX)
      .map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
    const replies = (await postJson(node.url, batch, PATIENCE_MS)) as Json[];
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    answers.push(...batch.map(({ id }) => byId.get(id)?.error ?? byId.get(id)?.result));
  }
  return answers;
}

/** Log lines that no node should write: a block reported as bad, a crash. */
export function complaints(nodes: readonly NodeProcess[]): string[] {
  return nodes.flatMap((node) => {
    const lines = node.log().split('\n');
    const bad = lines.filter((line) => /BAD BLOCK|[Bb]ad block|panic/.test(line));
    return bad.slice(0, 3).map((line) => `${node.name} says: ${line}`);
  });
}

export function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

/** Nodes keep different sets of collected seals for the same block hash. */
function withoutSeals({ extraData, size, ...block }: Json): unknown {
  const bft = readBftExtra(fromHex(extraData));
  if (!bft) return { ...block, extraData, size };
  const { seals, ...extra } = bft;
  return { ...block, extra };
}
