/** Many calls to a node in one request; an answer is a result or an error of the node's. */
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { HttpClient } from '../http/http-client.ts';

const DIAL_MS = 3_000;
const ANSWER_MS = 60_000;
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code?: number; readonly message?: string };
}

export class RpcBatchClient {
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

  /** In the order of the calls. Rejects with LEDGER_AWAY. */
  async ask(calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]> {
    const text = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
    const body = Buffer.from(text);
    const headers = [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
    ] as const;
    try {
      const answer = await this.client.request({ method: 'POST', url: this.url, headers, body });
      const replies: unknown = JSON.parse(Buffer.from(answer.body).toString('utf8'));
      if (!Array.isArray(replies)) throw new Error(`it answers a batch with ${cut(replies)}`);
      const byId = new Map(
        replies.map((reply) => [(reply as { id: number }).id, reply as RpcAnswer]),
      );
      return calls.map((_call, id) => byId.get(id) ?? { error: { message: 'no answer' } });
    } catch (cause) {
      throw fail('LEDGER_AWAY', `${this.url.origin} does not answer: ${reasonOf(cause)}`, {
        cause,
      });
    }
  }

  close(): void {
    this.client.close();
  }
}

function cut(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 200);
}
