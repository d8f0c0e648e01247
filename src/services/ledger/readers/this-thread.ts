/**
 * Answers GraphQL on a chain for development, in the main thread: a thread of its own could still
 * answer from a state that was just reverted. Queries have the same limits as in a reader thread.
 */

import type { ReaderThreads } from './job.ts';
import { Reader, type ReaderParts } from './reader.ts';

/** `parts.viewOf` reads the chain that this thread writes. */
export function thisThread(parts: Omit<ReaderParts, 'chain'>): ReaderThreads {
  const reader = new Reader({ ...parts, chain: { follow: () => {} } });
  return {
    start: () => {},
    run: (job, { signal }) => reader.run(job, () => signal?.aborted ?? false),
    stop: () => Promise.resolve(),
  };
}
