/**
 * The main thread's side of the readers: passes requests to threads, and supplies data that only
 * this thread has. A request is answered from a head no older than the one that this thread had
 * when it passed the request on.
 */
import { fail, hasCode } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import type { CallRequest } from '../../../core/execution/call.ts';
import { DEFAULT_PSI, type Psi, queryKey } from '../../../core/privacy/inputs.ts';
import type { LogPosition } from '../../../core/store/log-record.ts';
import type { Caller, Readers as RpcReaders } from '../../../io/rpc/dispatcher.ts';
import { type Call, errorReply } from '../../../io/rpc/envelope.ts';
import { failureReply } from '../../../io/rpc/failure.ts';
import { RawJson, RPC } from '../../../io/rpc/method.ts';
import type { Asker } from '../../../io/threads/fair-queue.ts';
import type { TaskTerms } from '../../../io/threads/task-threads.ts';
import type { GraphqlAnswer } from '../graphql/answer.ts';
import type { AccountHistory } from '../view/account-history.ts';
import type { AllPayloads } from '../view/party-inputs.ts';
import type { PendingPlan } from '../view/pending-block.ts';
import {
  type CallerLack,
  type Lack,
  type LogsRead,
  NO_SUPPLIES,
  type ReadAnswer,
  type ReaderThreads,
  type ReadJob,
  type ReadLimits,
  type Supplies,
} from './job.ts';
import { answerOf } from './supplied-accounts.ts';

/** Maximum number of rounds in which a request names missing data and runs again. */
const ROUNDS_MAX = 16;
/**
 * Maximum number of rounds of a GraphQL query: a mutation sends one transaction per round, and a
 * query may look up this many in the pool.
 */
const QUERY_ROUNDS_MAX = 64;
/** Time limit of requests without a call: geth's servers abandon a reply after this time. */
const READ_MS_MAX = 30_000;
/** Time limit of a trace, which may request 60 s. */
const TRACE_MS_MAX = 62_000;
/** A call ends by itself when its time is up; its task times out this much later. */
const CALL_GRACE_MS = 1_000;
/** Error code of EIP-1474: limit exceeded. */
const LIMIT_EXCEEDED = -32005;

const CALLS: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas', 'eth_createAccessList']);

export interface ReadersParts {
  readonly threads: ReaderThreads;
  readonly limits: ReadLimits;
  readonly log: Log;
  /** Position up to which the log may be read. */
  end(): LogPosition;
  /** undefined on a chain without private state. */
  readonly payloads: AllPayloads | undefined;
  privateArrival(): Promise<boolean>;
  plan(): PendingPlan;
  /** The history of accounts that callers of this private state may see. */
  accounts(psi: Psi): AccountHistory;
}

export class Readers implements RpcReaders {
  private readonly parts: ReadersParts;

  constructor(parts: ReadersParts) {
    this.parts = parts;
  }

  async answer(
    { id, method, params }: Call & { readonly id: string },
    caller: Caller,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly reply: string | Uint8Array; readonly isError: boolean }> {
    const request = { kind: 'call', id, method, params } as const;
    const terms = { asker: askerOf(caller), signal, ...this.timeOf(method) };
    try {
      return done(await this.read(request, caller.psi ?? DEFAULT_PSI, terms), 'reply');
    } catch (error) {
      return { reply: this.refusal(id, method, error), isError: true };
    }
  }

  /** Gas estimate on the head. Rejects as eth_estimateGas does. */
  async estimateGas(request: CallRequest, psi: Psi): Promise<bigint> {
    const terms = { asker: THIS_NODE, ...this.timeOf('eth_estimateGas') };
    const answer = done(await this.read({ kind: 'estimate', request }, psi, terms), 'gas');
    return answer.gas;
  }

  /** Logs of blocks, as JSON. Rejects as eth_getLogs does. */
  async logs(request: Omit<LogsRead, 'kind'>, caller: Caller): Promise<RawJson> {
    const terms = { asker: askerOf(caller), ...this.timeOf('eth_getLogs') };
    const psi = caller.psi ?? DEFAULT_PSI;
    const answer = done(await this.read({ kind: 'logs', ...request }, psi, terms), 'logs');
    return new RawJson(answer.json);
  }

  /**
   * Answers the body of a GraphQL request. Rejects with QUEUE_FULL, TASK_CANCELLED, TASK_TIMEOUT
   * and THREAD_FAILED.
   */
  async graphql(body: string, asking: Asking): Promise<GraphqlAnswer> {
    const { caller, signal, supply } = asking;
    const { callSeconds } = this.parts.limits;
    const limitMs = callSeconds * 1_000 + CALL_GRACE_MS;
    const terms = { asker: askerOf(caller), signal, limitMs };
    const psi = caller.psi ?? DEFAULT_PSI;
    return done(await this.read({ kind: 'graphql', body }, psi, terms, supply), 'graphql');
  }

  /** `supply`: provides data that depend on the caller; only GraphQL queries need it. */
  private async read(
    request: ReadJob['request'],
    psi: Psi,
    terms: TaskTerms,
    supply?: Supply,
  ): Promise<Answered> {
    let has = NO_SUPPLIES;
    const endMs = performance.now() + READ_MS_MAX;
    for (let round = 0; round < (supply ? QUERY_ROUNDS_MAX : ROUNDS_MAX); round++) {
      const job = { request, psi, ...has, end: this.parts.end() };
      const answer = await this.parts.threads.run(job, terms);
      if (answer.kind !== 'lacks') return answer;
      if (supply && performance.now() > endMs)
        throw fail('TASK_TIMEOUT', 'the query took too long');
      has = { ...has, ...(await this.supply(answer.lack, psi, has, supply)) };
    }
    if (supply)
      throw fail('GRAPHQL_TOO_LARGE', 'the query asks for too many transactions of the pool');
    throw fail('PTM_ANSWERS', 'the private transaction manager does not provide what is needed');
  }

  private async supply(
    lack: Lack,
    psi: Psi,
    has: Supplies,
    supply?: Supply,
  ): Promise<Partial<Supplies>> {
    switch (lack.kind) {
      case 'figures':
      case 'pooled':
      case 'sent':
        return supply!(lack, has);
      case 'arrival':
        return { hasArrived: await this.parts.privateArrival() };
      case 'accounts':
        return { accounts: answerOf(this.parts.accounts(psi), lack) };
      case 'pending':
        return { pending: this.parts.plan() };
      case 'payloads': {
        const payloads = this.parts.payloads!;
        await payloads.ask(lack.queries);
        const more = new Map(has.answers);
        for (const query of lack.queries) {
          const answer = payloads.answer(query);
          if (answer) more.set(queryKey(query), answer);
        }
        return { answers: more };
      }
    }
  }

  private timeOf(method: string): Pick<TaskTerms, 'limitMs' | 'isLong'> {
    const { callSeconds } = this.parts.limits;
    if (CALLS.has(method)) return { limitMs: callSeconds * 1_000 + CALL_GRACE_MS };
    if (method.startsWith('debug_trace')) return { limitMs: TRACE_MS_MAX, isLong: true };
    return { limitMs: READ_MS_MAX, isLong: method.startsWith('debug_') };
  }

  private refusal(id: string, method: string, error: unknown): string {
    const { message } = error as Error;
    if (hasCode(error, 'QUEUE_FULL')) return errorReply(id, LIMIT_EXCEEDED, message);
    if (hasCode(error, 'THREAD_FAILED')) return errorReply(id, RPC.internal, message);
    return failureReply(id, method, error, this.parts.log);
  }
}

/** Provides missing data of a query that depend on its caller. */
export type Supply = (lack: CallerLack, has: Supplies) => Promise<Partial<Supplies>>;

export interface Asking {
  readonly caller: Caller;
  readonly signal: AbortSignal | undefined;
  readonly supply: Supply;
}

const THIS_NODE: Asker = { client: 'this node', connection: 0 };

function askerOf({ remote, connection = 0 }: Caller): Asker {
  return { client: remote, connection };
}

type Answered = Exclude<ReadAnswer, { kind: 'lacks' }>;

/** Throws the reader's error. */
function done<K extends Answered['kind']>(
  answer: Answered,
  kind: K,
): Extract<Answered, { kind: K }> {
  if (answer.kind === kind) return answer as Extract<Answered, { kind: K }>;
  if (answer.kind === 'failed') throw fail(answer.code, answer.message, { data: answer.data });
  throw fail('INVARIANT_BROKEN', `a reader answered ${answer.kind} instead of ${kind}`);
}
