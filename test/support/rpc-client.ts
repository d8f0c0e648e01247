/** JSON-RPC over HTTP as a script sends it, without a client library in between. */
const PATIENCE_MS = 20_000;

export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Rpc {
  readonly url: string;
  call<T = string>(method: string, ...params: unknown[]): Promise<T>;
}

export function rpcClient(url: string): Rpc {
  return {
    url,
    async call<T>(method: string, ...params: unknown[]): Promise<T> {
      const answer = (await postJson(url, { jsonrpc: '2.0', id: 1, method, params })) as {
        result: T;
        error?: { code: number; message: string };
      };
      if (answer.error) throw new RpcError(answer.error.code, answer.error.message);
      return answer.result;
    },
  };
}

/** Resolves with the parsed answer. */
export async function postJson(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return response.json();
}
