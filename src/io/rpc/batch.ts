/** Batches: their limits, and the errors that replace answers beyond them. */
import { type Entry, errorReply, invalidRequest } from './envelope.ts';
import { RPC } from './method.ts';
import { freeMoved } from './moved-reply.ts';

/** A reply as JSON: text, or bytes if it is long. */
export type Reply = string | Uint8Array;

/** Limits of one batch; every answer beyond them is replaced by an error. */
export interface BatchLimits {
  readonly batchCallsMax: number;
  readonly batchReplyCharactersMax: number;
}

/** The limits of newer versions of geth. */
export const BATCH_LIMITS: BatchLimits = {
  batchCallsMax: 1_000,
  batchReplyCharactersMax: 25_000_000,
};
/** Joins the replies to the calls of a batch. */
export function joined(replies: readonly Reply[]): Reply {
  if (replies.every((reply) => typeof reply === 'string')) return `[${replies.join(',')}]`;
  const parts: Reply[] = [];
  for (const reply of replies) parts.push(parts.length === 0 ? '[' : ',', reply);
  parts.push(']');
  const all = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  );
  for (const reply of replies) freeMoved(reply);
  return all;
}

export function batchTooLarge(most: number): string {
  return errorReply('null', RPC.invalidRequest, `batch too large: at most ${most} calls`);
}

/** The reason why the rest of a batch is not answered. */
export type Refusal = string;

export const tooLong = (most: number): Refusal =>
  `the replies to this batch exceed ${most} characters: ask in parts`;
export const NO_ROOM: Refusal =
  'clients leave too many replies unread for one more to this batch: read yours, or ask again later';

/** The error that replaces an answer; undefined for a notification. */
export function refused(entry: Entry, why: Refusal): string | undefined {
  if (entry.kind !== 'call') return entry.kind === 'invalid' ? invalidRequest(entry.id) : undefined;
  return entry.id === undefined ? undefined : errorReply(entry.id, RPC.server, why);
}
