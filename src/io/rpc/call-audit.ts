/** Audit of calls: records certain calls before and after they run. */
import type { Caller } from './caller.ts';
import { RpcError } from './method.ts';

/** Records how the call ended. */
export type EndRecord = (outcome: string) => Promise<void>;

export interface CallAudit {
  /** Whether calls of this method are recorded. */
  covers(method: string): boolean;
  /**
   * Resolves when the record is durable. Rejects if it cannot be written: the call must not run
   * then.
   */
  begin(method: string, caller: Caller): Promise<EndRecord>;
  /** Records a call that its caller is not allowed to make. */
  denied(method: string, caller: Caller): Promise<void>;
}

interface Recorded<T> {
  readonly method: string;
  readonly caller: Caller;
  /** Throws if the caller is not allowed to make the call. */
  admit(): Caller;
  run(caller: Caller): T;
}

/** Records only an error's number, because its text may quote what the caller sent. */
export async function onRecord<T>(
  audit: CallAudit,
  { method, caller, admit, run }: Recorded<T>,
): Promise<Awaited<T>> {
  let admitted: Caller;
  try {
    admitted = admit();
  } catch (error) {
    await audit.denied(method, caller);
    throw error;
  }
  const end = await audit.begin(method, admitted);
  try {
    const result = await run(admitted);
    await end('done');
    return result;
  } catch (error) {
    await end(error instanceof RpcError ? `error ${error.number}` : 'error');
    throw error;
  }
}
