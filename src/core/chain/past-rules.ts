/**
 * Changes by a newer genesis file that would contradict existing blocks although GoQuorum does not
 * compare them: the engine that sealed them, whether they may repeat a timestamp, their gas price
 * and, with Besu's and go-ethereum's files, every rule.
 */
import { isShortPeriod } from './block-times.ts';
import type { ChainConfig } from './chain-config.ts';
import { consensusAt, engineAt } from './consensus-rules.ts';
import { changesOf, type Rules, rulesAt } from './rules.ts';

export interface ChainHead {
  readonly number: number;
  readonly timestamp: bigint;
}

/** Rules that GoQuorum's own checks do not cover. */
const GOQUORUM_RULES: readonly (keyof Rules)[] = ['isQuorum', 'isGasPriceEnabled'];
/** These limit new blocks only, never existing ones. */
const LIMITS: readonly (keyof Rules)[] = ['minerGasLimit', 'transactionBytesMax'];

/** How `next` contradicts existing blocks; undefined: it does not contradict them. */
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
    const [hadMs, hasMs] = [stored, next].map((each) => consensusAt(each, number).blockPeriodMs);
    if (isShortPeriod({ blockPeriodMs: hadMs }) !== isShortPeriod({ blockPeriodMs: hasMs })) {
      return fault('block period in milliseconds', number, hadMs, hasMs);
    }
  }
  return undefined;
}

function plainRules(rules: Rules): (keyof Rules)[] {
  const keys = Object.keys(rules) as (keyof Rules)[];
  return keys.filter((key) => typeof rules[key] !== 'object' && !LIMITS.includes(key));
}

/** Blocks up to `head` at which a rule changes. */
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
