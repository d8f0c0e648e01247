/**
 * Recent answers of the private transaction manager, kept in memory only, so that execution need
 * not wait.
 */
import { Lru } from '../../../../core/base/lru.ts';
import type { Clock, Log } from '../../../../core/base/ports.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import {
  nextQueries,
  type PrivateAnswer,
  type PrivateInputs,
  type PrivateQuery,
  queryKey,
} from '../../../../core/privacy/inputs.ts';
import type { Manager } from '../../../../core/privacy/manager-port.ts';

const ANSWERS_MAX = 20_000;
const BYTES_MAX = 64 * 1024 * 1024;
/** How long the answer "not a party" is cached: a payload may still arrive. */
const STRANGER_MS = 10_000;
/** Number of prefetch rounds: a marker needs two. */
const PREFETCH_ROUNDS = 2;

interface Entry {
  readonly answer: PrivateAnswer;
  readonly sinceMs: number;
}

export class PayloadCache implements PrivateInputs {
  private readonly entries = new Lru<string, Entry>(ANSWERS_MAX, {
    max: BYTES_MAX,
    of: ({ answer }) => (answer.kind === 'held' ? answer.payload.length : 0),
  });
  private readonly manager: Manager;
  private readonly clock: Clock;
  private readonly log: Log;

  constructor(parts: { manager: Manager; clock: Clock; log: Log }) {
    this.manager = parts.manager;
    this.clock = parts.clock;
    this.log = parts.log;
  }

  answer(query: PrivateQuery): PrivateAnswer | undefined {
    const key = queryKey(query);
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    const isStale =
      entry.answer.kind === 'notParty' && this.clock.nowMs() - entry.sinceMs > STRANGER_MS;
    return isStale ? undefined : entry.answer;
  }

  /** Queries the manager. Rejects when it does not answer. */
  async ask(queries: readonly PrivateQuery[]): Promise<void> {
    const answers = await this.manager.ask(queries);
    for (const [key, answer] of answers) this.put(key, answer);
  }

  /** Prefetches the answers that `transactions` will need; failures are left to the follower. */
  async prefetch(transactions: readonly Transaction[], rules: Rules): Promise<void> {
    try {
      for (let round = 0; round < PREFETCH_ROUNDS; round++) {
        const queries = nextQueries(transactions, rules, this);
        if (queries.length === 0) return;
        await this.ask(queries);
      }
    } catch (error) {
      this.log('debug', 'Payloads could not be fetched ahead', { err: (error as Error).message });
    }
  }

  private put(key: string, answer: PrivateAnswer): void {
    this.entries.set(key, { answer, sinceMs: this.clock.nowMs() });
  }
}
