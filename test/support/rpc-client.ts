/** JSON-RPC over HTTP as a script sends it, without a client library. */
const PATIENCE_MS = 20_000;

export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface Rpc {
  readonly url: string;
  call<T = string>(method: string, ...params: unknown[]): Promise<T>;
  callWithId<T = string>(id: unknown, method: string, ...params: unknown[]): Promise<T>;
}

export function rpcClient(url: string): Rpc {
  const callWithId = async <T>(id: unknown, method: string, ...params: unknown[]): Promise<T> => {
    const answer = (await postJson(url, { jsonrpc: '2.0', id, method, params })) as {
      result: T;
      error?: { code: number; message: string; data?: unknown };
    };
    const { error } = answer;
    if (error) throw new RpcError(error.code, error.message, error.data);
    return answer.result;
  };
  return { url, call: (method, ...params) => callWithId(1, method, ...params), callWithId };
}

/** Resolves with the parsed response. */
export async function postJson(
  url: string,
  body: unknown,
  patienceMs = PATIENCE_MS,
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(patienceMs),
  });
  return response.json();
}
