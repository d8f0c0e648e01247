/**
 * Compares an answer of this run with the recorded one: equal except for names (names.ts), heights
 * and signatures.
 */
import type { Names } from './names.ts';

/** They depend on the block or the signature, which differ from run to run. */
const IGNORED: ReadonlySet<string> = new Set([
  'r',
  's',
  'raw',
  'logsBloom',
  'blockHash',
  'blockNumber',
]);
/** Members that this copy of the recording omits, in all or in some places. */
const TRIMMED: ReadonlySet<string> = new Set(['removed', 'data', 'transactionIndex']);
/** Gas that includes the data cost of a 64-byte hash depends on how many of its bytes are zero. */
const GAS: ReadonlySet<string> = new Set(['gas', 'gasUsed', 'cumulativeGasUsed']);
const HASH_GAS_MIN = 21_000 + 64 * 4;
const HASH_GAS_MAX = 21_000 + 64 * 16;
/** Gas in a step's answers, and `result` where the step asks for an estimate. */
const GAS_ANSWERS: ReadonlySet<string> = new Set([...GAS, 'result']);
/** Fields that hold the hash of a transaction. */
const HASHES: ReadonlySet<string> = new Set(['hash', 'transactionHash', 'txHash', 'result']);

/** How the forks of a chain change answers that were recorded before them. */
export interface ForkTerms {
  /** Additional members of answers, with their values. */
  readonly members: Readonly<Record<string, unknown>>;
  /** The additional gas of this step. */
  readonly moreGas: bigint;
}

/** Returns where and how they differ; undefined: they do not. */
export function difference(
  recorded: unknown,
  live: unknown,
  names: Names,
  forks: ForkTerms,
  path = '',
): string | undefined {
  if (path.endsWith('/ACHashes') && Array.isArray(recorded) && Array.isArray(live))
    return sameSet(recorded, live, names) ? undefined : `${path}: ${short(live)}`;
  if (Array.isArray(recorded) && Array.isArray(live) && recorded.length === live.length)
    return firstOf(recorded, (value, at) =>
      difference(value, live[at], names, forks, `${path}/${at}`),
    );
  if (isObject(recorded) && isObject(live)) {
    const extra = Object.keys(live).find(
      (key) => !(key in recorded) && !isTrimmed(key) && forks.members[key] !== live[key],
    );
    if (extra !== undefined) return `${path}: has ${extra} besides`;
    return firstOf(
      Object.keys(recorded).filter((key) => !IGNORED.has(key)),
      (key) => difference(recorded[key], live[key], names, forks, `${path}/${key}`),
    );
  }
  if (typeof recorded === 'string' && typeof live === 'string') {
    const key = path.slice(path.lastIndexOf('/') + 1);
    if (key === 'v' && sameKindOfSignature(recorded, live)) return undefined;
    if (GAS.has(key) && isGasOfHash(recorded) && isGasOfHash(live)) return undefined;
    if (forks.moreGas > 0n && GAS_ANSWERS.has(key) && isMore(recorded, live, forks))
      return undefined;
    const inner = innerTransactions(recorded, live);
    if (inner) return difference(inner[0], inner[1], names, forks, `${path}/inner`);
    if (names.unify(recorded, live, HASHES.has(key))) return undefined;
  } else if (recorded === live) return undefined;
  return `${path}: ${short(live)}, recorded ${short(recorded)}`;
}

function isTrimmed(key: string): boolean {
  return IGNORED.has(key) || TRIMMED.has(key);
}

function firstOf<T>(
  items: readonly T[],
  check: (item: T, at: number) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const found = check(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Both signatures have a chain id, or neither has one, or both are private; the parity is random.
 */
function sameKindOfSignature(a: string, b: string): boolean {
  return (Number(a) - 1) >> 1 === (Number(b) - 1) >> 1;
}

/** Affected-contract hashes are in random order; each is already known by name. */
function sameSet(recorded: readonly string[], live: readonly string[], names: Names): boolean {
  const expected = recorded.map((text) => names.rewrite(text)).sort();
  return expected.join() === [...live].sort().join();
}

function isGasOfHash(gas: string): boolean {
  return Number(gas) >= HASH_GAS_MIN && Number(gas) <= HASH_GAS_MAX;
}

function isMore(recorded: string, live: string, { moreGas }: ForkTerms): boolean {
  return isQuantity(recorded) && isQuantity(live) && BigInt(live) - BigInt(recorded) === moreGas;
}

function isQuantity(text: string): boolean {
  return /^0x[0-9a-f]{1,16}$/.test(text);
}

/** The payloads of privacy markers: JSON of the transactions inside, as hex. */
function innerTransactions(
  recorded: string,
  live: string,
): readonly [unknown, unknown] | undefined {
  if (!recorded.startsWith('0x7b22') || !live.startsWith('0x7b22')) return undefined;
  const parse = (text: string) => JSON.parse(Buffer.from(text.slice(2), 'hex').toString('utf8'));
  return [parse(recorded), parse(live)];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 240 ? `${text.slice(0, 240)}…` : text;
}
