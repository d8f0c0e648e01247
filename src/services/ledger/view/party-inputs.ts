/**
 * The manager's answers for one caller: for payloads of other private states, this node answers as
 * a non-party.
 */
import {
  type PrivateAnswer,
  type PrivateInputs,
  type PrivateQuery,
  queryKey,
} from '../../../core/privacy/inputs.ts';

/** Payloads of the node, for all its private states. */
export interface AllPayloads extends PrivateInputs {
  ask(queries: readonly PrivateQuery[]): Promise<void>;
}

/** Thrown by work that cannot continue until these queries are answered. */
export class InputsMissing extends Error {
  readonly queries: readonly PrivateQuery[];

  constructor(queries: readonly PrivateQuery[]) {
    super('answers of the private transaction manager are missing');
    this.queries = queries;
  }
}

export class PartyInputs implements PrivateInputs {
  private readonly payloads: AllPayloads;
  private readonly isFor: (managedParties: readonly string[]) => boolean;
  private readonly known = new Map<string, PrivateAnswer>();

  constructor(payloads: AllPayloads, isFor: (managedParties: readonly string[]) => boolean) {
    this.payloads = payloads;
    this.isFor = isFor;
  }

  /** The fetched answer; undefined if it was not fetched. */
  answer(query: PrivateQuery): PrivateAnswer | undefined {
    return this.known.get(queryKey(query));
  }

  /** Rejects when the manager does not answer. */
  async fetch(queries: readonly PrivateQuery[]): Promise<void> {
    await this.payloads.ask(queries);
    for (const query of queries) {
      const answer = this.payloads.answer(query);
      if (answer) this.known.set(queryKey(query), this.seen(query, answer));
    }
  }

  private seen(query: PrivateQuery, answer: PrivateAnswer): PrivateAnswer {
    const isForeign =
      query.kind === 'payload' && answer.kind === 'held' && !this.isFor(answer.managedParties);
    return isForeign ? { kind: 'notParty' } : answer;
  }
}
