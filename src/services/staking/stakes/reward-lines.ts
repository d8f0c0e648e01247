/** Rewards in a file: one JSON object per line. */
import { fail } from '../../../core/base/errors.ts';
import { readJsonObject } from '../../../core/base/json-object.ts';
import type { NewReward } from './rewards.ts';

/** Limited because all lines are recorded in one transaction, for which other writers wait. */
const LINES_MAX = 10_000;
const NEEDED: readonly string[] = ['pubkey', 'amount', 'reference'];
const OPTIONAL: readonly string[] = ['at', 'note'];

/**
 * Ignores empty lines. `name`: the file's name, for errors. Throws STAKING_REWARD_INVALID, which
 * names the line.
 */
export function readRewardLines(text: string, name: string): readonly NewReward[] {
  const rewards: NewReward[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const where = `${name}: line ${index + 1}`;
    if (rewards.length === LINES_MAX) {
      throw fail(
        'STAKING_REWARD_INVALID',
        `${where}: a file may have at most ${LINES_MAX} rewards: split it`,
      );
    }
    rewards.push({ ...readReward(line, where), where });
  }
  return rewards;
}

function readReward(line: string, where: string): NewReward {
  const invalid = (why: string) => fail('STAKING_REWARD_INVALID', `${where}: ${why}`);
  const value = readJsonObject(line, {
    none: () => invalid('this is not a JSON object'),
    twice: (name) => invalid(`member ${name.slice(0, 50)} is given twice`),
  });
  for (const [name, member] of Object.entries(value)) {
    if (!NEEDED.includes(name) && !OPTIONAL.includes(name)) {
      const known = [...NEEDED, ...OPTIONAL].join(', ');
      throw invalid(`there is no member ${JSON.stringify(name.slice(0, 50))}, only ${known}`);
    }
    if (typeof member !== 'string') throw invalid(`member ${name} must be text, in quotes`);
  }
  const missing = NEEDED.find((name) => !(name in value));
  if (missing !== undefined) throw invalid(`member ${missing} is missing`);
  return value as unknown as NewReward;
}
