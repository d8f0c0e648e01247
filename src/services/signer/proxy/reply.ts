/** A reply to a client: a JSON-RPC text with its HTTP status, or a node's answer unchanged. */
import { failureOf } from '../../../core/signing/failures.ts';
import type { Refusal } from '../../../core/signing/guard.ts';
import { FAILURE_STATUS, REFUSAL_STATUS } from './http-status.ts';
import type { HeaderList, UpstreamAnswer } from './ports.ts';

export interface Reply {
  readonly status: number;
  readonly body: string;
  /** The node's headers; undefined: the proxy's own answer. */
  readonly headers?: HeaderList | undefined;
  /** The request was not JSON-RPC at all. */
  readonly isForeign?: boolean;
}

/** `id` is JSON text, which is echoed unchanged. */
export function resultReply(id: string, resultText: string): Reply {
  return { status: 200, body: `{"jsonrpc":"2.0","id":${id},"result":${resultText}}` };
}

export function errorReply(id: string, error: unknown): Reply {
  const { code, number, message, data } = failureOf(error);
  return { status: FAILURE_STATUS[code], body: errorText(id, { code: number, message, data }) };
}

export function refusalReply(id: string, { kind, code, message }: Refusal): Reply {
  return { status: REFUSAL_STATUS[kind], body: errorText(id, { code, message }) };
}

export function errorText(
  id: string,
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`;
}

/** The node's answer, unchanged; `hash`: hash of a transaction that may still be mined. */
export function relayed(answer: UpstreamAnswer, hash?: string): Reply {
  const { status, headers, body } = answer;
  return {
    status,
    body,
    headers: hash === undefined ? headers : [...headers, 'X-Transaction-Hash', hash],
  };
}
