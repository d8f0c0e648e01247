/**
 * GraphQL over HTTP: access control, and data that only the main thread has (GoQuorum
 * graphql/service.go).
 */
import { fail, QuorateError } from '../../core/base/errors.ts';
import { toHex } from '../../core/base/hex.ts';
import type { Log } from '../../core/base/ports.ts';
import { decodeTransaction } from '../../core/chain/transaction.ts';
import { checkAccess, stateOf } from '../../io/rpc/access.ts';
import type { Caller } from '../../io/rpc/dispatcher.ts';
import type { Endpoint, Page } from '../../io/rpc/http.ts';
import type { Context } from './api/context.ts';
import type { GraphqlConfig } from './config/rpc.ts';
import type { Supplies } from './readers/job.ts';
import type { Readers, Supply } from './readers/readers.ts';

/** Scope that tokens must grant: `rpc://graphql_*`. */
const SCOPE = 'graphql_*';

export interface GraphqlEndpointParts {
  readonly readers: Pick<Readers, 'graphql'>;
  readonly contextOf: (caller: Caller) => Context;
  readonly isMultitenant: boolean;
  readonly nowMs: () => number;
  readonly log: Log;
}

/**
 * Endpoints by path; none without `--graphql`. Throws OPTION_CONFLICT when there are no readers.
 */
export function graphqlEndpoints(
  config: GraphqlConfig | undefined,
  parts: Omit<GraphqlEndpointParts, 'readers'> & {
    readonly readers: GraphqlEndpointParts['readers'] | undefined;
  },
): ReadonlyMap<string, Endpoint> {
  if (!config) return new Map();
  const { readers } = parts;
  if (!readers)
    throw fail('OPTION_CONFLICT', '--graphql needs a reader: give --rpc.readers 1 or more');
  const endpoint: Endpoint = { ...config, answer: answerer({ ...parts, readers }) };
  return new Map([
    ['/graphql', endpoint],
    ['/graphql/', endpoint],
  ]);
}

/** Answers the body of a request. */
function answerer(parts: GraphqlEndpointParts): Endpoint['answer'] {
  return async (body, asker, signal) => {
    const admitted = admit(asker, parts);
    if (admitted instanceof Error) return plain(403, `${admitted.message}\n`);
    const context = parts.contextOf(admitted);
    try {
      const asking = { caller: admitted, signal, supply: supplyOf(context) };
      const { hasErrors, body: answer } = await parts.readers.graphql(body, asking);
      // COMPAT: with errors, GoQuorum sets its headers too late: the answer is plain text.
      if (hasErrors) return plain(400, answer);
      return { status: 200, contentType: 'application/json', body: answer };
    } catch (error) {
      return refused(error as Error, parts.log);
    }
  };
}

function admit(caller: Caller, { isMultitenant, nowMs }: GraphqlEndpointParts): Caller | Error {
  const { access } = caller;
  try {
    checkAccess(access, SCOPE, nowMs());
    return access.kind === 'open'
      ? caller
      : { ...caller, psi: stateOf(access, caller.psi, isMultitenant) };
  } catch (error) {
    return error as Error;
  }
}

function supplyOf(context: Context): Supply {
  return async (lack, has) => {
    switch (lack.kind) {
      case 'figures':
        return { figures: figuresOf(context) };
      case 'pooled': {
        const raw = context.pooled(lack.hash)?.raw ?? null;
        return { pooled: new Map(has.pooled).set(toHex(lack.hash), raw) };
      }
      case 'sent':
        return { sent: new Map(has.sent).set(toHex(lack.raw), await send(context, lack.raw)) };
    }
  };
}

function figuresOf({ admin, gasPrices }: Context): NonNullable<Supplies['figures']> {
  const chainId = admin.info().config.chainId ?? 0n;
  return { chainId, gasPrice: gasPrices.suggest(), syncing: admin.syncing() };
}

async function send({ submitter }: Context, raw: Uint8Array) {
  try {
    return { hash: await submitter.submit(decodeTransaction(raw)) };
  } catch (error) {
    if (!(error instanceof QuorateError)) throw error;
    return { code: error.code, message: error.message };
  }
}

function refused(error: Error, log: Log): Page {
  const isOurs = error instanceof QuorateError;
  if (!isOurs) log('error', 'A GraphQL query failed', { err: error.message, stack: error.stack });
  const isBusy = isOurs && error.code === 'QUEUE_FULL';
  const message = isOurs ? error.message : 'internal error';
  return plain(isBusy ? 503 : 400, JSON.stringify({ errors: [{ message }] }));
}

function plain(status: number, body: string): Page {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}
