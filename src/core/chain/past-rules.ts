/**
 * What GoQuorum does not compare when a newer genesis file comes, and what would belie blocks that exist all the same: the engine
 * that sealed them, the price of their gas, and on chains of Besu's and go-ethereum's files every rule.
 */
import type { ChainConfig } from './chain-config.ts';
import { engineAt } from './consensus-rules.ts';
import { changesOf, type Rules, rulesAt } from './rules.ts';

export interface ChainHead {
  readonly number: number;
  readonly timestamp: bigint;
}

/** What GoQuorum's own checks leave open. */
const GOQUORUM_RULES: readonly (keyof Rules)[] = ['isQuorum', 'isGasPriceEnabled'];
/** Bound what is made from now on, and no block that exists. */
const LIMITS: readonly (keyof Rules)[] = ['minerGasLimit', 'transactionBytesMax'];

/** What of the past `next` belies; undefined: nothing. */
export function pastRulesFault(
  stored: ChainConfig,
  next: ChainConfig,
  head: ChainHead,
): string | undefined {
  const isGoquorum = stored.format === 'goquorum' && next.format === 'goquorum';
  for (const { number, timestamp } of turningPoints([stored, next], head)) {
    const [had, has] = [rulesAt(stored, number, timestamp), rulesAt(next, number, timestamp)];
    const keys = isGoquorum ? GOQUORUM_RULES : plainRules(had);
    const different = keys.find((key) => had[key] !== has[key]);
    if (different) return fault(different, number, had[different], has[different]);
    const [sealedBy, wouldSeal] = [engineAt(stored, number), engineAt(next, number)];
    if (sealedBy !== wouldSeal) return fault('consensus engine', number, sealedBy, wouldSeal);
  }
  return undefined;
}

function plainRules(rules: Rules): (keyof Rules)[] {
  const keys = Object.keys(rules) as (keyof Rules)[];
  return keys.filter((key) => typeof rules[key] !== 'object' && !LIMITS.includes(key));
}

/** Blocks up to `head` from which something changes. */
function turningPoints(configs: readonly ChainConfig[], head: ChainHead): ChainHead[] {
  const changes = configs.map(changesOf);
  const numbers = changes.flatMap(({ blocks }) => blocks.map(Number));
  const times = changes.flatMap(({ times }) => times);
  return [
    ...[1, ...numbers.filter((number) => number > 1)].map((number) => ({ number, timestamp: 0n })),
    ...times.map((timestamp) => ({ number: head.number, timestamp })),
  ].filter(({ number, timestamp }) => number <= head.number && timestamp <= head.timestamp);
}

function fault(what: string, number: number, have: unknown, want: unknown): string {
  return `mismatching ${what} of block ${number} in database (have ${have}, want ${want})`;
}
