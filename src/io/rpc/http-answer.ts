/** Bodies of answers to calls over HTTP. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Reply } from './batch.ts';

/** Up to this size an answer is written as one text with its head. */
export const SHORT_CHARACTERS_MAX = 15 * 1024;
const GZIP_BYTES_MIN = 1_400;

export function answerOf(reply: Reply): Reply {
  return typeof reply === 'string' && reply !== '' ? `${reply}\n` : reply;
}

const pack = promisify(gzip);

/** Undefined: the answer is too short for that, or it cannot be packed. */
export async function packed(answer: Reply): Promise<Uint8Array | undefined> {
  const length = typeof answer === 'string' ? Buffer.byteLength(answer) : answer.length;
  return length < GZIP_BYTES_MIN ? undefined : pack(answer, { level: 1 }).catch(() => undefined);
}
