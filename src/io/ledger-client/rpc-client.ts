/** JSON-RPC of a ledger over HTTP: one call at a time, with our own errors. */
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { JsonPost } from './json-post.ts';

const ANSWER_MS = 20_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

export class RpcClient {
  private readonly post: JsonPost;

  constructor(url: string, answerBytesMax = ANSWER_BYTES_MAX) {
    this.post = new JsonPost(url, { answerMs: ANSWER_MS, answerBytesMax });
  }

  /** Chain id and hash of the first block, which identify the ledger. */
  async identity(): Promise<string> {
    const chainId = await this.call<string>('eth_chainId', []);
    const first = await this.call<{ hash: string }>('eth_getBlockByNumber', ['0x0', false]);
    return `${chainId} ${first.hash}`;
  }

  /**
   * Rejects with LEDGER_AWAY when there is no answer, with LEDGER_REFUSED when the answer is an
   * error; `data` is the error's text.
   */
  async call<T>(method: string, params: readonly unknown[]): Promise<T> {
    let reply: { result?: T; error?: { message?: string } };
    try {
      reply = (await this.post.send({ jsonrpc: '2.0', id: 1, method, params })) as typeof reply;
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
    this.post.close();
  }
}
