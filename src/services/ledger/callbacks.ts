/** HTTP side of callbacks: one JSON document to a client's server. */
import { HttpClient } from '../../io/host/http-client.ts';

const TIMEOUT_MS = 10_000;
/** Nothing is read from the answer but its status. */
const ANSWER_BYTES_MAX = 64 * 1024;

export interface CallbackPoster {
  post(url: URL, body: string): Promise<number>;
  close(): void;
}

export function callbackPoster(): CallbackPoster {
  const client = new HttpClient({
    dialTimeoutMs: TIMEOUT_MS,
    timeoutMs: TIMEOUT_MS,
    idleTimeoutMs: TIMEOUT_MS,
    responseBytesMax: ANSWER_BYTES_MAX,
  });
  return {
    async post(url, text) {
      const body = Buffer.from(text);
      const headers = [
        ['Content-Type', 'application/json'],
        ['Content-Length', String(body.length)],
      ] as const;
      return (await client.request({ method: 'POST', url, headers, body })).status;
    },
    close: () => client.close(),
  };
}
