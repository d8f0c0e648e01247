/** JSON-RPC over HTTP: concurrent calls share one request. */

/** An error of the node; without `code`, the node could not be reached. */
export class RpcFault extends Error {
  readonly code: number | undefined;
  readonly data: unknown;

  constructor(message: string, code?: number, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** The node has no such method, or does not offer it here. */
  get isMissing(): boolean {
    return this.code === -32601;
  }
}

const TIMEOUT_MS = 30_000;
const BATCH_MAX = 50;

interface Waiting {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly done: (result: unknown) => void;
  readonly failed: (error: RpcFault) => void;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class Rpc {
  private readonly url: string;
  private readonly token: string;
  private waiting: Waiting[] = [];

  /** `token`: a bearer token, or ''. `psi`: a private state, or ''. */
  constructor(url: string, token: string, psi: string) {
    this.url = psi === '' ? url : `${url}?PSI=${encodeURIComponent(psi)}`;
    this.token = token;
  }

  /** Rejects with RpcFault. */
  call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    return new Promise<T>((done, failed) => {
      this.waiting.push({ method, params, done: done as Waiting['done'], failed });
      if (this.waiting.length === 1) queueMicrotask(() => this.flush());
    });
  }

  private flush(): void {
    const all = this.waiting;
    this.waiting = [];
    for (let at = 0; at < all.length; at += BATCH_MAX) {
      const batch = all.slice(at, at + BATCH_MAX);
      this.send(batch).catch((error: Error) => {
        for (const { failed } of batch) failed(asFault(error));
      });
    }
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    const calls = batch.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
    const reply = await fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
      },
      body: JSON.stringify(calls),
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await reply.text();
    if (!reply.ok) throw new RpcFault(`HTTP ${reply.status}: ${text.trim()}`, reply.status);
    const answer = JSON.parse(text) as Reply | readonly Reply[];
    const replies = Array.isArray(answer) ? (answer as readonly Reply[]) : [answer as Reply];
    batch.forEach((each, id) => {
      // A node that refuses the whole request answers with one object without id.
      const { result, error } = replies.find((one) => one.id === id) ?? (replies[0] as Reply);
      if (error) each.failed(new RpcFault(error.message, error.code, error.data));
      else each.done(result);
    });
  }
}

function asFault(error: Error): RpcFault {
  return error instanceof RpcFault ? error : new RpcFault(error.message);
}
