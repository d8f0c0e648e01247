/** Limits the cost of a query during execution, counted field by field. */
import { fail, type QuorateError } from '../../../core/base/errors.ts';
import type { CallLimits } from '../../../core/execution/call.ts';

/** Limits of one answer. */
const FIELDS_MAX = 200_000;
const BYTES_MAX = 64 * 1024 * 1024;
/** Maximum number of private payloads that one query may request from the manager. */
const PAYLOADS_MAX = 64;

export class QueryRoom {
  private readonly limits: CallLimits;
  private fields = 0;
  private bytes = 0;
  private payloads = 0;
  /** Why the query was stopped; undefined: it was not. */
  over: QuorateError | undefined;

  constructor(limits: CallLimits) {
    this.limits = limits;
  }

  /**
   * Throws GRAPHQL_TOO_LARGE, or CALL_TIMEOUT when the time is up; afterwards every call throws.
   */
  readonly take = (fields: number): void => {
    if (this.over) throw this.over;
    this.fields += fields;
    if (this.fields > FIELDS_MAX) this.refuse(`more than ${FIELDS_MAX} fields`);
    const { shouldStop, timeoutText } = this.limits;
    if (shouldStop?.()) this.end(fail('CALL_TIMEOUT', `query aborted (timeout = ${timeoutText})`));
  };

  /** Counts bytes that will appear in the answer. */
  takeBytes(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > BYTES_MAX) this.refuse(`more than ${BYTES_MAX / 1024 / 1024} MB`);
  }

  takePayload(): void {
    if (++this.payloads > PAYLOADS_MAX) this.refuse(`more than ${PAYLOADS_MAX} private payloads`);
  }

  /** Yields the items until a limit is reached. */
  *list<From, To>(items: Iterable<From>, make: (item: From) => To): Generator<To> {
    for (const item of items) {
      if (this.over) return;
      yield make(item);
    }
  }

  private refuse(what: string): never {
    return this.end(fail('GRAPHQL_TOO_LARGE', `the answer has ${what}: ask in parts`));
  }

  private end(why: QuorateError): never {
    this.over = why;
    throw why;
  }
}
