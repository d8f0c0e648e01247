/** Requests of a page to its own server, JSON in both directions. */

/** An error of the server, or a failed connection, whose `code` is `unreachable`. */
export class RequestFault extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;

  constructor(status: number, code: string, message: string, field?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

const TIMEOUT_MS = 20_000;

/** Throws RequestFault. `path` is relative to the page. */
export async function request<T>(
  path: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: unknown } = {},
): Promise<T> {
  let reply: Response;
  let answer: unknown;
  try {
    reply = await fetch(path, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    answer = reply.status === 204 ? undefined : await reply.json();
  } catch (error) {
    throw new RequestFault(0, 'unreachable', (error as Error).message);
  }
  if (reply.ok) return answer as T;
  const {
    code = 'internal',
    message = '',
    details = [],
  } = answer as {
    code?: string;
    message?: string;
    details?: readonly { field?: string }[];
  };
  throw new RequestFault(reply.status, code, message, details[0]?.field);
}
