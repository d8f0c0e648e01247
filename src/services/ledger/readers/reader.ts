/**
 * Answers requests from a replica of the chain. A job runs without interruption, on one head. If it
 * needs data that only the main thread has (a payload, the pool's transactions), it names them, and
 * runs again from the start once it has got them.
 */
import { QuorateError } from '../../../core/base/errors.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import { type CallLimits, estimateGas } from '../../../core/execution/call.ts';
import { type PrivateQuery, type Psi, queryKey } from '../../../core/privacy/inputs.ts';
import type { ChainReplica } from '../../../core/store/chain-replica.ts';
import { loadScriptEngine } from '../../../io/quickjs/sandbox.ts';
import type { Reply } from '../../../io/rpc/dispatcher.ts';
import { encodedReply, resultReply } from '../../../io/rpc/envelope.ts';
import { failureReply } from '../../../io/rpc/failure.ts';
import { type Json, type Method, RawJson } from '../../../io/rpc/method.ts';
import { parseParams } from '../../../io/rpc/params.ts';
import type { ReadContext } from '../api/context.ts';
import { siteOf } from '../api/eth/call.ts';
import { logsBetween } from '../api/eth/logs.ts';
import { patient } from '../api/private-arrival.ts';
import { READS } from '../api/reads.ts';
import { LATEST } from '../view/block-tag.ts';
import { PartyInputs } from '../view/party-inputs.ts';
import type { PartyView } from '../view/party-view.ts';
import {
  buildPending,
  isPlannedOn,
  type PendingBlock,
  type PendingPlan,
} from '../view/pending-block.ts';
import {
  type CallRead,
  type EstimateRead,
  type GraphqlRead,
  Lacking,
  type LogsRead,
  type ReadAnswer,
  type ReadJob,
  type ReadLimits,
} from './job.ts';
import { suppliedAccounts } from './supplied-accounts.ts';
import { joinedLacks, suppliedSource } from './supplied-source.ts';

/** A longer reply is sent as undecoded bytes, which are moved and not copied. */
const TEXT_REPLY_MAX = 2 * 1024;

export interface ReaderParts {
  readonly chain: Pick<ChainReplica, 'follow'>;
  readonly viewOf: (psi: Psi) => PartyView;
  readonly hasPrivateStates: boolean;
  readonly limits: ReadLimits;
  readonly clock: Clock;
  readonly log: Log;
}

const textEncoder = new TextEncoder();

function replyOf(id: string, result: Json | RawJson): Reply {
  const isEncoded =
    result instanceof RawJson && result.pieces.some((each) => typeof each !== 'string');
  if (isEncoded) return encodedReply(id, result);
  const text = resultReply(id, result);
  return text.length > TEXT_REPLY_MAX ? textEncoder.encode(text) : text;
}

export class Reader {
  private readonly parts: ReaderParts;
  private readonly methods = new Map<string, Method<ReadContext>>();
  private built: { readonly id: number; readonly pending: PendingBlock } | undefined;

  constructor(parts: ReaderParts) {
    this.parts = parts;
    for (const row of READS) for (const name of row.names) this.methods.set(name, patient(row));
  }

  /** The index must stay one snapshot until this resolves. */
  run(job: ReadJob, shouldStop: () => boolean): Promise<ReadAnswer> {
    this.parts.chain.follow(job.end);
    const context = this.contextOf(job, shouldStop);
    const { request } = job;
    if (request.kind === 'call') return this.answer(request, context);
    if (request.kind === 'graphql') return this.query(request, job, context);
    return this.look(request, context);
  }

  private async answer(
    { id, method, params }: CallRead,
    context: ReadContext,
  ): Promise<ReadAnswer> {
    const row = this.methods.get(method)!;
    try {
      const result = await row.call(context, method, parseParams(row.params, params));
      return { kind: 'reply', reply: replyOf(id, result), isError: false };
    } catch (error) {
      if (error instanceof Lacking) return { kind: 'lacks', lack: error.lack };
      const reply = failureReply(id, method, error, this.parts.log);
      return { kind: 'reply', reply, isError: true };
    }
  }

  private async look(request: EstimateRead | LogsRead, context: ReadContext): Promise<ReadAnswer> {
    try {
      if (request.kind === 'logs') {
        const { query, from, to } = request;
        return { kind: 'logs', json: logsBetween(context, query, from, to).text };
      }
      const site = siteOf(context, LATEST);
      return { kind: 'gas', gas: estimateGas(request.request, site, context.callLimits()) };
    } catch (error) {
      if (!(error instanceof QuorateError)) throw error;
      const { code, message, data } = error;
      return { kind: 'failed', code, message, data };
    }
  }

  /** The GraphQL library is loaded for the first query: most readers never get one. */
  private async query(
    { body }: GraphqlRead,
    job: ReadJob,
    context: ReadContext,
  ): Promise<ReadAnswer> {
    const { answerQuery } = await import('../graphql/answer.ts');
    const { source, lacks } = suppliedSource(job, context);
    const answer = answerQuery(body, source, this.parts.log);
    const lack = joinedLacks(lacks);
    return lack ? { kind: 'lacks', lack } : { kind: 'graphql', ...answer };
  }

  private contextOf(job: ReadJob, shouldStop: () => boolean): ReadContext {
    const view = this.parts.viewOf(job.psi);
    const isFor = (keys: readonly string[]) => keys.some((key) => view.isManagedBy(key));
    const payloads = {
      answer: (query: PrivateQuery) => job.answers.get(queryKey(query)),
      async ask(queries: readonly PrivateQuery[]) {
        const missing = queries.filter((query) => !job.answers.has(queryKey(query)));
        if (missing.length > 0) throw new Lacking({ kind: 'payloads', queries: missing });
      },
    };
    return {
      view,
      accounts: suppliedAccounts(job.accounts),
      inputs: this.parts.hasPrivateStates ? new PartyInputs(payloads, isFor) : undefined,
      pooled: () => undefined,
      pending: { block: () => this.pendingOf(job.pending, view) },
      callLimits: () => this.callLimits(shouldStop),
      async privateArrival() {
        if (job.hasArrived === undefined) throw new Lacking({ kind: 'arrival' });
        return job.hasArrived;
      },
      isGivenUp: shouldStop,
      loadScripts: loadScriptEngine,
    };
  }

  private callLimits(isGivenUp: () => boolean): CallLimits {
    const { limits, clock } = this.parts;
    const { gasCap, callSeconds } = limits;
    const deadline = clock.nowMs() + callSeconds * 1000;
    const shouldStop = () => clock.nowMs() > deadline || isGivenUp();
    return { gasCap, shouldStop, timeoutText: `${callSeconds}s` };
  }

  private pendingOf(plan: PendingPlan | undefined, view: PartyView): PendingBlock {
    if (!plan || !isPlannedOn(plan, view.head().hash)) throw new Lacking({ kind: 'pending' });
    const { id } = plan;
    if (this.built?.id !== id) this.built = { id, pending: buildPending(plan, view) };
    return this.built.pending;
  }
}
