/** JSON-RPC of a ledger over HTTP: one call at a time, errors as ours. */
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { HttpClient } from '../http/http-client.ts';

const DIAL_MS = 3_000;
const ANSWER_MS = 20_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

export class RpcClient {
  private readonly url: URL;
  private readonly client = new HttpClient({
    dialTimeoutMs: DIAL_MS,
    timeoutMs: ANSWER_MS,
    idleTimeoutMs: ANSWER_MS,
    responseBytesMax: ANSWER_BYTES_MAX,
  });

  constructor(url: string) {
    this.url = new URL(url);
  }

  /** Rejects with LEDGER_AWAY when there is no answer, LEDGER_REFUSED when it is an error; its text is `data`. */
  async call<T>(method: string, params: readonly unknown[]): Promise<T> {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const headers = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
    ] as const;
    let reply: { result?: T; error?: { message?: string } };
    try {
      const answer = await this.client.request({ method: 'POST', url: this.url, headers, body });
      reply = JSON.parse(Buffer.from(answer.body).toString('utf8'));
    } catch (cause) {
      const why = reasonOf(cause);
      throw fail('LEDGER_AWAY', `${method}: the ledger does not answer: ${why}`, { cause });
    }
    if (reply.error || reply.result === undefined) {
      const why = reply.error?.message ?? 'no result';
      throw fail('LEDGER_REFUSED', `${method}: ${why}`, { data: why });
    }
    return reply.result;
  }

  close(): void {
    this.client.close();
  }
}
