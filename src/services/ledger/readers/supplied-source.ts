/**
 * A query's view of the node: contains data that the main thread has supplied so far; missing data
 * are recorded, so that they are requested together.
 */
import { QuorateError } from '../../../core/base/errors.ts';
import { toHex } from '../../../core/base/hex.ts';
import { decodeTransaction } from '../../../core/chain/transaction.ts';
import { type PrivateQuery, queryKey } from '../../../core/privacy/inputs.ts';
import { isEmptyPayloadHash } from '../../../core/privacy/marker.ts';
import type { ReadContext } from '../api/context.ts';
import type { GraphqlSource } from '../graphql/context.ts';
import { type Lack, Lacking, type Supplies } from './job.ts';

export function suppliedSource(
  has: Supplies,
  context: ReadContext,
): { readonly source: GraphqlSource; readonly lacks: readonly Lack[] } {
  const lacks: Lack[] = [];
  const noted = (lack: Lack): Lacking => {
    lacks.push(lack);
    return new Lacking(lack);
  };
  const { view } = context;
  const source: GraphqlSource = {
    ...context,
    pending: {
      block() {
        try {
          return context.pending.block();
        } catch (error) {
          if (error instanceof Lacking) lacks.push(error.lack);
          throw error;
        }
      },
    },
    figures() {
      if (!has.figures) throw noted({ kind: 'figures' });
      return has.figures;
    },
    pooled(hash) {
      const raw = has.pooled.get(toHex(hash));
      if (raw === undefined) throw noted({ kind: 'pooled', hash });
      return raw === null ? undefined : decodeTransaction(raw);
    },
    payload(hash) {
      if (!context.inputs || isEmptyPayloadHash(hash)) return undefined;
      const query = { kind: 'payload', hash } as const;
      const answer = has.answers.get(queryKey(query));
      if (!answer) throw noted({ kind: 'payloads', queries: [query] });
      const isOurs =
        answer.kind === 'held' && answer.managedParties.some((key) => view.isManagedBy(key));
      return isOurs ? answer.payload : undefined;
    },
    send(raw) {
      const outcome = has.sent.get(toHex(raw));
      if (!outcome) throw noted({ kind: 'sent', raw });
      if ('hash' in outcome) return outcome.hash;
      throw new QuorateError(outcome.code, outcome.message);
    },
    isPrivateDone(number) {
      if (view.isPrivateDone(number)) return true;
      if (has.hasArrived === undefined) throw noted({ kind: 'arrival' });
      return false;
    },
  };
  return { source, lacks };
}

/** The first missing item; if payloads are missing, all of them. */
export function joinedLacks(lacks: readonly Lack[]): Lack | undefined {
  const queries = new Map<string, PrivateQuery>();
  for (const lack of lacks) {
    if (lack.kind === 'payloads')
      for (const query of lack.queries) queries.set(queryKey(query), query);
  }
  return queries.size > 0 ? { kind: 'payloads', queries: [...queries.values()] } : lacks[0];
}
