/**
 * Many HTTP clients at once over bare sockets, each with one request under way: the clients must
 * not be what is measured.
 */
import { connect } from 'node:net';

export interface Flood {
  readonly port: number;
  readonly clients: number;
  /** The whole request, head and body, ASCII; undefined: this client has done its part. */
  readonly next: () => string | undefined;
  /** Judges an answer, head and body. */
  readonly isGood: (answer: string) => boolean;
}

/** Resolves with all latencies in ms. Rejects with the first answer that is not good. */
export async function flood({ port, clients, next, isGood }: Flood): Promise<number[]> {
  const latencies: number[] = [];
  const client = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let since = 0;
      let text = '';
      const ask = () => {
        const request = next();
        if (request === undefined) {
          socket.end();
          resolve();
          return;
        }
        since = performance.now();
        socket.write(request);
      };
      socket.setNoDelay(true);
      socket.on('connect', ask);
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the server closed a connection')));
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        const head = text.indexOf('\r\n\r\n');
        const length = /content-length: (\d+)/i.exec(text)?.[1];
        if (head < 0 || length === undefined || text.length < head + 4 + Number(length)) return;
        if (!isGood(text)) reject(new Error(text));
        latencies.push(performance.now() - since);
        text = '';
        ask();
      });
    });
  await Promise.all(Array.from({ length: clients }, client));
  return latencies;
}

/** An HTTP/1.1 request over a connection that stays. `headers`: lines without their end. */
export function httpRequest(
  method: 'GET' | 'POST',
  path: string,
  headers: readonly string[],
  body = '',
): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', ...headers];
  if (body !== '') lines.push(`content-length: ${body.length}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
