/** `quorate staking reward`: rewards of validators recorded by the operator, for `GET /rewards`. */

import { readFileSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../../io/host/reason.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import type { Admin } from '../../services/staking/admin.ts';
import { STAKING_ROWS, STORE_ROWS } from '../../services/staking/options.ts';
import { readRewardLines } from '../../services/staking/stakes/reward-lines.ts';
import type { Command } from '../command.ts';
import { jsonRow } from '../json-row.ts';
import { missing, ofActions, unknown, type Work, withAdmin } from './admin.ts';

const GROUP = 'Reward';
const PAGE_ROWS = 1_000;
const NEEDS = [ofActions(['amount', 'reference', 'at', 'note'], 'add')];

export const stakingRewardCommand: Command = {
  name: 'staking reward',
  about:
    'Records rewards of validators, for their clients to read, or lists them. Repeating a reward with the same reference changes nothing.',
  operands: 'add PUBKEY | import FILE | list',
  operandsMax: 2,
  examples: [
    {
      does: 'a reward of 0.0015 ether',
      line: 'quorate staking reward add PUBKEY --amount 1500000 --reference payout-2026-01 --at 2026-01-31',
    },
    {
      does: 'many, all or none: each line is an object with pubkey, amount, reference, and optionally at and note',
      line: 'quorate staking reward import rewards.jsonl',
    },
  ],
  fileRows: STAKING_ROWS,
  rows: [
    ...STORE_ROWS,
    {
      flag: 'amount',
      type: 'string',
      about: 'Amount, whole gwei in decimal',
      group: GROUP,
    },
    {
      flag: 'reference',
      type: 'string',
      about: 'Your own id of this reward, which makes repeats harmless',
      group: GROUP,
    },
    {
      flag: 'at',
      type: 'string',
      about: 'When it was paid, such as 2026-01-31T12:00:00Z or 2026-01-31; default: now',
      group: GROUP,
    },
    { flag: 'note', type: 'string', about: 'A note for the client, one line', group: GROUP },
    jsonRow(GROUP),
  ],
  run: (options) => withAdmin({ options, needs: NEEDS }, workOf(options)),
};

/** Reads all arguments before the store is opened. */
function workOf(options: ParsedOptions): Work {
  const [action, operand] = options.positional;
  switch (action) {
    case 'add':
      return adding(options, operand);
    case 'import':
      return importing(options, operand);
    case 'list':
      return (admin) => list(admin, options.boolean('json'));
    default:
      throw unknown('quorate staking reward add, import or list');
  }
}

function adding(options: ParsedOptions, pubkey: string | undefined): Work {
  if (pubkey === undefined) throw missing('name the validator: its public key');
  const reference = needed(options, 'reference', 'your own id of this reward');
  const reward = {
    pubkey,
    amount: needed(options, 'amount', 'whole gwei in decimal'),
    reference,
    at: options.string('at'),
    note: options.string('note'),
  };
  return async (admin) => {
    const [outcome] = await admin.addRewards([reward]);
    const { number, isNew } = outcome!;
    if (options.boolean('json')) console.log(JSON.stringify({ number, reference, new: isNew }));
    else console.log(`reward ${number} ${isNew ? 'is recorded' : 'was recorded before'}`);
  };
}

function importing(options: ParsedOptions, file: string | undefined): Work {
  if (file === undefined) throw missing('name the file: one JSON object per line');
  const rewards = readRewardLines(textOf(file), file);
  return async (admin) => {
    const outcomes = await admin.addRewards(rewards);
    const recorded = outcomes.filter(({ isNew }) => isNew).length;
    const known = outcomes.length - recorded;
    if (options.boolean('json')) console.log(JSON.stringify({ recorded, known }));
    else console.log(`recorded ${recorded}, already present ${known}`);
  };
}

async function list(admin: Admin, isJson: boolean): Promise<void> {
  for (let after = 0; ; ) {
    const page = await admin.rewards({ after, limit: PAGE_ROWS });
    for (const reward of page) {
      const { number, at, amount, pubkey, client_id: clientId, reference, note } = reward;
      const words = [number, at, `${amount} gwei`, pubkey, clientId, reference, note];
      console.log(isJson ? JSON.stringify(reward) : words.join('  ').trimEnd());
    }
    if (page.length < PAGE_ROWS) return;
    after = page.at(-1)!.number;
  }
}

function textOf(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (cause) {
    const why = reasonOf(cause);
    throw fail('STAKING_REWARD_INVALID', `cannot read ${file}: ${why}`, { cause });
  }
}

function needed(options: ParsedOptions, flag: string, what: string): string {
  const value = options.string(flag);
  if (value === undefined) throw missing(`--${flag} is missing: ${what}`);
  return value;
}
