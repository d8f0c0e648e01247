/** Reads the body of a request, and counts its bytes as they arrive. */
import type { IncomingMessage } from 'node:http';
import type { Holding } from '../../core/base/byte-budget.ts';

/**
 * `large`: too large for one request. `busy`: too many bytes of all requests are being read.
 * `gone`: the client disconnected.
 */
export type BodyRefusal = 'large' | 'busy' | 'gone';

/**
 * Held bytes stay counted until the caller releases the holding. Resolves as soon as the outcome is
 * known.
 */
export function readBody(
  request: IncomingMessage,
  holding: Holding,
  bytesMax: number,
): Promise<Buffer | BodyRefusal> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let length = 0;
    const refuse = (why: BodyRefusal) => {
      // Further bytes are discarded, and the answer closes the connection.
      request.removeListener('data', take);
      request.resume();
      chunks = [];
      resolve(why);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) refuse('large');
      else if (!holding.take(chunk.length)) refuse('busy');
      else chunks.push(chunk);
    };
    if (request.destroyed) resolve('gone');
    request.on('data', take);
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.once('error', () => refuse('gone'));
    request.once('close', () => refuse('gone'));
  });
}
