/** Messages between the main thread and a reader. All of them can be copied between threads. */
import type { Address } from '../../../core/base/bytes.ts';
import type { CallRequest } from '../../../core/execution/call.ts';
import type { PrivateAnswer, PrivateQuery, Psi } from '../../../core/privacy/inputs.ts';
import type { TenantGroup } from '../../../core/privacy/private-states.ts';
import type { FoundCreation } from '../../../core/store/accounts/account-index.ts';
import type { LogPosition } from '../../../core/store/log-record.ts';
import type { Reply } from '../../../io/rpc/dispatcher.ts';
import type { TaskTerms } from '../../../io/threads/task-threads.ts';
import type { GraphqlAnswer } from '../graphql/answer.ts';
import type { NodeFigures } from '../graphql/context.ts';
import type { AccountPage, PageQuery } from '../view/account-history.ts';
import type { LogQuery } from '../view/log-matcher.ts';
import type { Looks } from '../view/open-views.ts';
import type { PendingPlan } from '../view/pending-block.ts';

/** Start parameters of a reader thread. */
export interface ReaderThreadSettings extends ReaderSettings {
  /** The folder of the store, with the chain's genesis file. */
  readonly folder: string;
}

/** Settings of a reader's answers. */
export interface ReaderSettings {
  /** Private states that the manager serves; undefined: there is only one. */
  readonly tenants: readonly TenantGroup[] | undefined;
  readonly looks: Looks;
  readonly limits: ReadLimits;
}

export interface ReadLimits {
  readonly gasCap: bigint;
  readonly callSeconds: number;
}

export interface CallRead {
  readonly kind: 'call';
  /** Id of the request, as JSON text. */
  readonly id: string;
  readonly method: string;
  /** Parameters as received, not yet parsed by the method's row. */
  readonly params: unknown;
}

export interface EstimateRead {
  readonly kind: 'estimate';
  readonly request: CallRequest;
}

export interface LogsRead {
  readonly kind: 'logs';
  readonly query: LogQuery;
  readonly from: number;
  readonly to: number;
}

/** A GraphQL query. */
export interface GraphqlRead {
  readonly kind: 'graphql';
  /** The unparsed body of the request. */
  readonly body: string;
}

/** The outcome of a transaction of a mutation: its hash, or why it was refused. */
export type SendOutcome =
  | { readonly hash: Uint8Array }
  | { readonly code: string; readonly message: string };

/**
 * One request, with the data that it was found to need. The reader follows the chain to `end`
 * first.
 */
export interface ReadJob extends Supplies {
  readonly request: CallRead | EstimateRead | LogsRead | GraphqlRead;
  readonly psi: Psi;
  readonly end: LogPosition;
}

/** Data that a request gets in addition to the chain. */
export interface Supplies {
  /** Answers of the private transaction manager, by queryKey(). */
  readonly answers: ReadonlyMap<string, PrivateAnswer>;
  /** Whether the private states have reached the head; undefined: this was not requested yet. */
  readonly hasArrived: boolean | undefined;
  readonly pending: PendingPlan | undefined;
  /** The answer of the index of accounts. */
  readonly accounts: AccountAnswer | undefined;
  readonly figures: NodeFigures | undefined;
  /**
   * Transactions looked up in the pool, by hash (0x hex): their bytes; null if the pool has none.
   */
  readonly pooled: ReadonlyMap<string, Uint8Array | null>;
  /** Outcomes by the transaction's bytes (0x hex). */
  readonly sent: ReadonlyMap<string, SendOutcome>;
}

export const NO_SUPPLIES: Supplies = {
  answers: new Map(),
  hasArrived: undefined,
  pending: undefined,
  accounts: undefined,
  figures: undefined,
  pooled: new Map(),
  sent: new Map(),
};

/** Query to the index of accounts; a request makes at most one. */
export type AccountQuestion =
  | { readonly page: PageQuery }
  | { readonly creation: { readonly address: Address; readonly upTo: number } };

export type AccountAnswer =
  | { readonly page: AccountPage }
  | { readonly creation: FoundCreation | undefined };

/** Data that only the main thread has: the request runs again once it has them. */
export type Lack =
  | { readonly kind: 'payloads'; readonly queries: readonly PrivateQuery[] }
  | { readonly kind: 'arrival' }
  | { readonly kind: 'pending' }
  | ({ readonly kind: 'accounts' } & AccountQuestion)
  | CallerLack;

/** Data that depends on the caller. */
export type CallerLack =
  | { readonly kind: 'figures' }
  | { readonly kind: 'pooled'; readonly hash: Uint8Array }
  | { readonly kind: 'sent'; readonly raw: Uint8Array };

export type ReadAnswer =
  | { readonly kind: 'reply'; readonly reply: Reply; readonly isError: boolean }
  | { readonly kind: 'gas'; readonly gas: bigint }
  | { readonly kind: 'logs'; readonly json: string }
  | ({ readonly kind: 'graphql' } & GraphqlAnswer)
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      readonly data: unknown;
    }
  | { readonly kind: 'lacks'; readonly lack: Lack };

/** Thrown inside a reader by work that cannot continue without these data. */
export class Lacking extends Error {
  readonly lack: Lack;

  constructor(lack: Lack) {
    super(`a reader lacks ${lack.kind}`);
    this.lack = lack;
  }
}

/** Threads that run jobs. */
export interface ReaderThreads {
  start(): void;
  /** Rejects with QUEUE_FULL, TASK_CANCELLED, TASK_TIMEOUT or THREAD_FAILED. */
  run(job: ReadJob, terms: TaskTerms): Promise<ReadAnswer>;
  stop(): Promise<void>;
}
