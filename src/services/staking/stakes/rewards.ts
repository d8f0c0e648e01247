/**
 * Rewards of validators: the operator records each once under its own reference, and the
 * validators' clients read them.
 */
import type { Reward } from '../../../clients/staking-types.ts';
import { fail } from '../../../core/base/errors.ts';
import type { Clock } from '../../../core/base/ports.ts';
import { change } from '../../../io/database/audit-trail.ts';
import type { Database, Query, Row } from '../../../io/database/database.ts';
import { type Page, PUBKEY, timeOf } from './stakes.ts';

const AMOUNT = /^[0-9]{1,20}$/;
const TIME = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;
/** Text without characters that a terminal, a log or a database would interpret. */
const PLAIN = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u;
const REFERENCE_CHARACTERS_MAX = 128;
const NOTE_CHARACTERS_MAX = 500;
const QUOTED_MAX = 120;
/** How far a time may be in the future, because clocks differ. */
const AHEAD_MS_MAX = 5 * 60_000;

/** What the operator sees: the client's view and two more members. */
export interface RecordedReward extends Reward {
  readonly reference: string;
  readonly client_id: string;
}

export interface NewReward {
  /** `0x` and 96 hex digits. */
  readonly pubkey: string;
  /** Gwei in decimal. */
  readonly amount: string;
  /** The operator's own id of the reward. */
  readonly reference: string;
  /** ISO 8601, with a time zone unless it is only a day; undefined: now. */
  readonly at?: string | undefined;
  readonly note?: string | undefined;
  /** File and line, for errors. */
  readonly where?: string;
}

export interface RewardOutcome {
  readonly number: number;
  /** False: it was already recorded, identical in all given members. */
  readonly isNew: boolean;
}

interface CheckedReward {
  readonly pubkey: string;
  readonly amount: string;
  readonly reference: string;
  /** Undefined: the operator gave no time. */
  readonly at: number | undefined;
  readonly note: string;
}

const SELECT = 'SELECT r.*, s.client_id FROM reward r JOIN stake s ON s.pubkey = r.pubkey';

export class Rewards {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async ofClient(clientId: string, { after, limit }: Page): Promise<readonly Reward[]> {
    const rows = await this.database.query(
      `${SELECT} WHERE s.client_id = $1 AND r.number > $2 ORDER BY r.number LIMIT $3`,
      [clientId, after, limit],
    );
    return rows.map(rewardOf);
  }

  /** The rewards of all clients. */
  async recorded({ after, limit }: Page): Promise<readonly RecordedReward[]> {
    const rows = await this.database.query(
      `${SELECT} WHERE r.number > $1 ORDER BY r.number LIMIT $2`,
      [after, limit],
    );
    return rows.map(recordedOf);
  }

  /**
   * Records all rewards or none. Throws STAKING_REWARD_INVALID, STAKING_VALIDATOR_UNKNOWN,
   * STAKING_VALIDATOR_NOT_DEPOSITED, or STAKING_REWARD_EXISTS when different values were recorded
   * under the reference.
   */
  record(
    actor: string,
    wanted: readonly NewReward[],
    clock: Clock,
  ): Promise<readonly RewardOutcome[]> {
    return this.database.transaction(async (query) => {
      // Locks the revision's row first, so that no other instance records at the same time: numbers
      // become visible in order, and a reader skips none.
      await query('UPDATE revision SET value = value WHERE one = 1');
      const outcomes: RewardOutcome[] = [];
      for (const reward of wanted) {
        try {
          outcomes.push(await recordOne(query, actor, reward, clock.nowMs()));
        } catch (error) {
          throw reward.where === undefined ? error : inLine(reward.where, error as Error);
        }
      }
      return outcomes;
    });
  }
}

async function recordOne(
  query: Query,
  actor: string,
  wanted: NewReward,
  nowMs: number,
): Promise<RewardOutcome> {
  const reward = checked(wanted, nowMs);
  const { pubkey, amount, reference, note } = reward;
  const held = await find(query, reference);
  if (held) {
    checkSame(recordedOf(held), reward);
    return { number: Number(held.number), isNew: false };
  }
  await checkValidator(query, pubkey);
  const atMs = reward.at ?? nowMs;
  const detail = { reference, amount, at: timeOf(atMs), note };
  await change(query, { actor, action: 'reward add', subject: pubkey, detail }, nowMs);
  const [row] = await query(
    `INSERT INTO reward (number, pubkey, amount, at, note, reference)
     VALUES ((SELECT coalesce(max(number), 0) + 1 FROM reward), $1, $2, $3, $4, $5) RETURNING number`,
    [pubkey, amount, atMs, note, reference],
  );
  return { number: Number(row!.number), isNew: true };
}

async function find(query: Query, reference: string): Promise<Row | undefined> {
  const [row] = await query(`${SELECT} WHERE r.reference = $1`, [reference]);
  return row;
}

function checkSame(held: RecordedReward, wanted: CheckedReward): void {
  const said = { ...wanted, at: wanted.at === undefined ? held.at : timeOf(wanted.at) };
  const names = ['pubkey', 'amount', 'at', 'note'] as const;
  const other = names.find((name) => held[name] !== said[name]);
  if (other === undefined) return;
  throw fail(
    'STAKING_REWARD_EXISTS',
    `under the reference "${held.reference}" there is a reward already, whose ${other} is "${held[other]}", not "${said[other]}": another reward needs another reference`,
  );
}

async function checkValidator(query: Query, pubkey: string): Promise<void> {
  const [stake] = await query('SELECT state FROM stake WHERE pubkey = $1', [pubkey]);
  if (!stake) {
    throw fail(
      'STAKING_VALIDATOR_UNKNOWN',
      `this service staked no validator ${pubkey}: is this the right store (--datadir, --store)?`,
    );
  }
  if (stake.state !== 'DEPOSITED') {
    throw fail(
      'STAKING_VALIDATOR_NOT_DEPOSITED',
      `the deposit of ${pubkey} is in no block (its stake is ${stake.state}): it has no rewards yet`,
    );
  }
}

function checked(
  { pubkey, amount, reference, at: time, note = '' }: NewReward,
  nowMs: number,
): CheckedReward {
  if (!PUBKEY.test(pubkey)) {
    throw invalid(
      `${quoted(pubkey)} is not a validator: give its public key, 0x and 96 hex digits`,
    );
  }
  if (!AMOUNT.test(amount) || BigInt(amount) === 0n) {
    throw invalid(
      `${quoted(amount)} is not an amount: give whole gwei in decimal, more than 0, such as 1500000`,
    );
  }
  if (
    reference.length > REFERENCE_CHARACTERS_MAX ||
    !PLAIN.test(reference) ||
    !isTrimmed(reference)
  ) {
    throw invalid(
      `a reference must have 1 to ${REFERENCE_CHARACTERS_MAX} printable characters, without a leading or trailing blank`,
    );
  }
  if (note.length > NOTE_CHARACTERS_MAX || !PLAIN.test(note)) {
    throw invalid(
      `a note may have at most ${NOTE_CHARACTERS_MAX} printable characters, in one line`,
    );
  }
  const atMs = time === undefined ? undefined : timeIn(time, nowMs);
  return {
    pubkey: pubkey.toLowerCase(),
    amount: String(BigInt(amount)),
    reference,
    at: atMs,
    note,
  };
}

function isTrimmed(text: string): boolean {
  return text !== '' && text.trim() === text;
}

function timeIn(text: string, nowMs: number): number {
  const day = TIME.exec(text)?.[1];
  const ms = Date.parse(text);
  if (day === undefined || Number.isNaN(ms) || !isDay(day)) {
    throw invalid(
      `${quoted(text)} is not a valid time: write it as 2026-01-31T12:00:00Z, or 2026-01-31 for the beginning of that day (UTC)`,
    );
  }
  if (ms > nowMs + AHEAD_MS_MAX)
    throw invalid(`${text} is in the future: record a reward after it was paid`);
  return ms;
}

/** A check of its own is needed: Date.parse reads 31 June as 1 July. */
function isDay(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && timeOf(ms).startsWith(day);
}

function rewardOf(row: Row): Reward {
  return {
    number: Number(row.number),
    pubkey: String(row.pubkey),
    amount: String(row.amount),
    at: timeOf(row.at),
    note: String(row.note),
  };
}

function recordedOf(row: Row): RecordedReward {
  // Rows of the first version have no reference.
  const reference = String(row.reference ?? '');
  return { ...rewardOf(row), reference, client_id: String(row.client_id) };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text);
}

function inLine(where: string, error: Error): Error {
  const { code } = error as { code?: string };
  return code?.startsWith('STAKING_')
    ? fail(code, `${where}: ${error.message}`, { cause: error })
    : error;
}

function invalid(why: string): Error {
  return fail('STAKING_REWARD_INVALID', why);
}
