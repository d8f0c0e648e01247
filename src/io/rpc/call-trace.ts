/** Traces of calls: which calls have a span, and what happens in it. */
import type { Caller } from './caller.ts';
import type { Access } from './method.ts';

export interface CallTrace {
  /** Runs the call in its span. */
  run<T>(work: () => T): T;
  end(isSuccess: boolean): void;
}

/** Undefined: the call has no span. */
export type TraceCalls = (method: string, access: Access, caller: Caller) => CallTrace | undefined;
