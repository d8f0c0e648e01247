/**
 * `quorate migrate compare`: sends the same requests to an old node and to a new one, sampled over
 * the whole chain by a random generator with a seed. The old node's answer must be contained in the
 * new one's; members that only the new one has are not a difference.
 */
import { fail, hasCode } from '../../../core/base/errors.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { Prng } from '../../../core/base/prng.ts';
import {
  type Block,
  decodeBlock,
  transactionsRoot,
  unclesHash,
} from '../../../core/chain/block.ts';
import { readBftExtra } from '../../../core/chain/extra-data.ts';
import type { RpcAnswer, RpcCall } from '../../../io/ledger-client/rpc-batch.ts';
import { Questions } from './questions.ts';

/** Number of queries per request. */
const BATCH = 50;
const BELOW_ZERO = /^0x[89a-f][0-9a-f]{15}$/;
const HEX_DATA = /^0x(?:[0-9a-f]{2})*$/i;
/** Maximum number of differences kept per method. */
const DIFFERENCES_MAX = 3;
/**
 * Members that differ from node to node: the time of a tracer; which of the seals above the quorum
 * a node stores with a block, and so the size of the block; the minter of a Raft cluster, and the
 * members that a node reaches.
 */
const OF_ONE_NODE: ReadonlySet<string> = new Set([
  ...['time', 'committers', 'Committers', 'size'],
  ...['role', 'nodeActive'],
]);
/**
 * Errors for which there is no answer to compare: the state was pruned, the node does not offer the
 * method, or the errors of GoQuorum for a private transaction without a marker, whose payload it
 * tries to read as JSON, where this node answers null.
 */
const NO_ANSWER =
  /missing trie node|not migrated|does not exist\/is not available|not available|required historical state|header not found|private transaction not found|invalid character .* looking for beginning of value|invalid character .* in literal/;

export interface ComparedNode {
  ask(calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]>;
}

export interface MethodCount {
  same: number;
  different: number;
  /**
   * Number of requests that one of the nodes cannot answer: its state was pruned, or it does not
   * offer the method.
   */
  untold: number;
}

export interface NodeComparison {
  readonly asked: number;
  readonly upTo: number;
  /** Counts by method, in the order of first use. */
  readonly methods: ReadonlyMap<string, MethodCount>;
  readonly differences: readonly Difference[];
}

export interface Difference {
  readonly call: RpcCall;
  readonly old: string;
  readonly now: string;
}

interface CompareOptions {
  readonly samples: number;
  readonly seed: number;
  /** Whether to omit everything that only parties of private transactions know. */
  readonly isPublic: boolean;
  onProgress(asked: number): void;
}

/** Rejects with LEDGER_AWAY, and with MIGRATION_OTHER_CHAIN if the genesis blocks differ. */
export async function compareNodes(
  old: ComparedNode,
  now: ComparedNode,
  { samples, seed, isPublic, onProgress }: CompareOptions,
): Promise<NodeComparison> {
  const upTo = await commonHead(old, now);
  const questions = new Questions(new Prng(seed), upTo, isPublic);
  const methods = new Map<string, MethodCount>();
  const differences: Difference[] = [];
  let asked = 0;
  while (asked < samples) {
    const calls = questions.next(Math.min(BATCH, samples - asked));
    const [before, after] = await Promise.all([old.ask(calls), now.ask(calls)]);
    for (const [at, call] of calls.entries()) {
      const verdict = compareAnswers(viewOf(call, before[at]!), viewOf(call, after[at]!));
      const count = methods.get(call.method) ?? { same: 0, different: 0, untold: 0 };
      methods.set(call.method, count);
      count[verdict]++;
      questions.learn(call, before[at]!.result);
      if (verdict !== 'different' || count.different > DIFFERENCES_MAX) continue;
      differences.push({ call, old: told(before[at]!), now: told(after[at]!) });
    }
    asked += calls.length;
    onProgress(asked);
  }
  return { asked, upTo, methods, differences };
}

async function commonHead(old: ComparedNode, now: ComparedNode): Promise<number> {
  const calls = [
    { method: 'eth_getBlockByNumber', params: ['0x0', false] },
    { method: 'eth_blockNumber', params: [] },
  ];
  const heads = await Promise.all([old.ask(calls), now.ask(calls)]);
  const [first, second] = heads.map(([block]) => (block!.result as { hash?: string } | null)?.hash);
  if (first === undefined || first !== second) {
    throw fail(
      'MIGRATION_OTHER_CHAIN',
      `the two nodes are not of one chain: block 0 is ${first} at the first and ${second} at the second`,
    );
  }
  return Math.min(...heads.map(([, number]) => Number(number!.result)));
}

/**
 * Lists whose order depends on the node: the entries used last, or the other members, come first.
 */
const UNORDERED = /^(quorumPermission_(org|node|acct|role)List|raft_cluster)$/;

/**
 * The part of an answer that is the same on every node: lists are sorted, and the RLP of a block
 * has no seals, because each node has collected its own.
 */
function viewOf({ method }: RpcCall, answer: RpcAnswer): RpcAnswer {
  if (UNORDERED.test(method) && Array.isArray(answer.result))
    return { result: sorted(answer.result) };
  if (method === 'quorumPermission_getOrgDetails' && isFields(answer.result)) {
    const lists = Object.entries(answer.result).map(([name, value]) => [
      name,
      Array.isArray(value) ? sorted(value) : value,
    ]);
    return { result: Object.fromEntries(lists) };
  }
  if (method !== 'debug_getBlockRlp' || typeof answer.result !== 'string') return answer;
  const block = blockIn(answer.result);
  if (!block) return answer;
  const { hash, transactions, uncles } = block;
  const parts = [hash, transactionsRoot(transactions), unclesHash(uncles)];
  return { result: parts.map((part) => toHex(part)) };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function sorted(rows: readonly unknown[]): unknown[] {
  return [...rows].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** The name of an entry: an organisation, a role, an account, a node, or a member. */
function nameOf(row: unknown): string {
  if (!isFields(row)) return String(row);
  const { fullOrgId, orgId, roleId, acctId, url, raftId } = row;
  return [acctId, url, raftId, fullOrgId, orgId, roleId].map((part) => part ?? '').join(' ');
}

/** Undefined: the answer is not an encoded block, and is compared unchanged. */
function blockIn(answer: string): Block | undefined {
  try {
    return decodeBlock(fromHex(`0x${answer.replace(/^0x/, '')}`), 'quorum');
  } catch (error) {
    if (hasCode(error, 'RLP_INVALID') || hasCode(error, 'HEX_INVALID')) return undefined;
    throw error;
  }
}

export function compareAnswers(old: RpcAnswer, now: RpcAnswer): keyof MethodCount {
  if (isUntold(old) || isUntold(now)) return 'untold';
  if (old.error || now.error) return old.error && now.error ? 'same' : 'different';
  return holds(now.result, old.result) ? 'same' : 'different';
}

function isUntold({ error }: RpcAnswer): boolean {
  return error !== undefined && NO_ANSWER.test(error.message ?? '');
}

/** Whether `whole` contains all of `part`; an empty list equals null. */
function holds(whole: unknown, part: unknown): boolean {
  if (part === null && Array.isArray(whole)) return whole.length === 0;
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) &&
      whole.length === part.length &&
      part.every((each, at) => holds(whole[at], each))
    );
  }
  if (typeof part === 'object' && part !== null) {
    if (typeof whole !== 'object' || whole === null) return false;
    const members = whole as Record<string, unknown>;
    return Object.entries(part).every(
      ([name, each]) => OF_ONE_NODE.has(name) || holdsMember(name, members[name] ?? null, each),
    );
  }
  return whole === part;
}

function holdsMember(name: string, whole: unknown, part: unknown): boolean {
  // GoQuorum's value for a private transaction after others in its block: a negative number, as 64
  // bits.
  if (name === 'gasUsed' && BELOW_ZERO.test(String(part))) return true;
  if (name !== 'extraData') return holds(whole, part);
  return holds(withoutSeals(whole), withoutSeals(part));
}

/** Extra data of a BFT block without the seals, which differ from node to node. */
function withoutSeals(extraData: unknown): unknown {
  if (typeof extraData !== 'string' || !HEX_DATA.test(extraData)) return extraData;
  const bft = readBftExtra(fromHex(extraData));
  if (!bft) return extraData;
  const { seals: _own, ...extra } = bft;
  return JSON.stringify(extra, (_name, value: unknown) =>
    value instanceof Uint8Array ? toHex(value) : value,
  );
}

function told({ result, error }: RpcAnswer): string {
  return (error ? `error: ${error.message}` : JSON.stringify(result)).slice(0, 400);
}
