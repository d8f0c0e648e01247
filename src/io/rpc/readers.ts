/** Answers of other threads. */
import type { Reply } from './batch.ts';
import type { Caller } from './caller.ts';
import type { Call } from './envelope.ts';

/** Other threads that answer calls of heavy methods, instead of this thread. */
export interface Readers {
  /** Resolves with the whole reply, also for a fault of the call. `signal`: the caller is gone. */
  answer(
    call: Call & { readonly id: string },
    caller: Caller,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly reply: Reply; readonly isError: boolean }>;
}

/** The answer of a reader. */
export class ReadReply {
  readonly reply: Reply;
  readonly isError: boolean;

  constructor(reply: Reply, isError: boolean) {
    this.reply = reply;
    this.isError = isError;
  }
}
