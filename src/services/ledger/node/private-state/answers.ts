/** The manager's present answers for a few blocks, regardless of its answers when they were new. */
import { fail } from '../../../../core/base/errors.ts';
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

/**
 * Maximum number of rounds: a marker leads to its inner transaction, that to its payload, an
 * extension to the shared state.
 */
const ROUNDS_MAX = 16;

export class Answers implements PrivateInputs {
  private readonly manager: Manager;
  private readonly known = new Map<string, PrivateAnswer>();

  constructor(manager: Manager) {
    this.manager = manager;
  }

  answer(query: PrivateQuery): PrivateAnswer | undefined {
    return this.known.get(queryKey(query));
  }

  /** Rejects when the manager does not answer. */
  async ask(queries: readonly PrivateQuery[]): Promise<void> {
    for (const [key, answer] of await this.manager.ask(queries)) this.known.set(key, answer);
  }

  /** Fetches the answers to all queries that `transactions` lead to. */
  async fetchFor(transactions: readonly Transaction[], rules: Rules): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const queries = nextQueries(transactions, rules, this);
      if (queries.length === 0) return;
      await this.ask(queries);
    }
    throw fail('PTM_ANSWERS', 'the private transaction manager does not provide what is needed');
  }

  /** The same answers, except for one payload: for that one, this node is not a party. */
  without(hash: Uint8Array): PrivateInputs {
    const left = queryKey({ kind: 'payload', hash });
    return {
      answer: (query) =>
        queryKey(query) === left ? { kind: 'notParty' } : this.known.get(queryKey(query)),
    };
  }
}
