/** Sends many calls to a node in one request; each answer is a result or an error from the node. */
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { JsonPost } from './json-post.ts';

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
  private readonly post: JsonPost;

  constructor(url: string) {
    this.post = new JsonPost(url, { answerMs: ANSWER_MS, answerBytesMax: ANSWER_BYTES_MAX });
  }

  /** Answers in the order of the calls. Rejects with LEDGER_AWAY. */
  async ask(calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]> {
    const batch = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
    try {
      const replies = await this.post.send(batch);
      if (!Array.isArray(replies)) throw new Error(`its answer to a batch is ${cut(replies)}`);
      const byId = new Map(
        replies.map((reply) => [(reply as { id: number }).id, reply as RpcAnswer]),
      );
      return calls.map((_call, id) => byId.get(id) ?? { error: { message: 'no answer' } });
    } catch (cause) {
      throw fail('LEDGER_AWAY', `${this.post.url.origin} does not answer: ${reasonOf(cause)}`, {
        cause,
      });
    }
  }

  close(): void {
    this.post.close();
  }
}

function cut(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 200);
}
