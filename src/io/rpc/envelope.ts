/** The JSON-RPC 2.0 envelope in the form of geth 1.10 (go-ethereum rpc/json.go). */
import { joinedBytes } from '../../core/base/bytes.ts';
import { type Json, RawJson, RPC } from './method.ts';

const encoder = new TextEncoder();

export interface Call {
  readonly kind: 'call';
  /** The id as JSON text, echoed verbatim; undefined for a notification. */
  readonly id: string | undefined;
  readonly method: string;
  /** undefined: omitted or null. */
  readonly params: unknown;
  /** Length in characters of the text that contained the call. */
  readonly length: number;
}

export type Entry =
  | Call
  | { readonly kind: 'invalid'; readonly id: string }
  | { readonly kind: 'response' };

export type Envelope =
  | { readonly kind: 'empty' }
  | { readonly kind: 'unparsable' }
  | { readonly kind: 'emptyBatch' }
  | { readonly kind: 'tooIntricate' }
  | { readonly kind: 'single'; readonly entry: Entry }
  | { readonly kind: 'batch'; readonly entries: readonly Entry[] };

/**
 * Maximum number of values, members and elements of a request: each takes time to parse. Ten
 * thousand calls have about 150,000.
 */
export const VALUES_MAX = 400_000;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const COMMA = 0x2c;

/** Also counts separators inside strings, which do not occur in the text of a contract's data. */
function hasTooManyValues(text: string): boolean {
  if (text.length <= VALUES_MAX) return false;
  let left = VALUES_MAX;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code === COMMA || code === BRACKET || code === BRACE) && --left < 0) return true;
  }
  return false;
}

export function parseEnvelope(text: string): Envelope {
  if (text.trim() === '') return { kind: 'empty' };
  if (hasTooManyValues(text)) return { kind: 'tooIntricate' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'unparsable' };
  }
  const ids = unsafeNumberIds(text);
  if (!Array.isArray(value)) return { kind: 'single', entry: toEntry(value, ids, text.length) };
  if (value.length === 0) return { kind: 'emptyBatch' };
  return { kind: 'batch', entries: value.map((item) => toEntry(item, ids, text.length)) };
}

/** Keeps the text of numbers that JavaScript would spell differently: ids are echoed verbatim. */
function unsafeNumberIds(text: string): Map<number, string> | undefined {
  let found: Map<number, string> | undefined;
  for (const [, digits] of text.matchAll(/"id"\s*:\s*(-?\d[\d.eE+-]*)/gi)) {
    if (digits === undefined || String(Number(digits)) === digits) continue;
    found ??= new Map();
    found.set(Number(digits), digits);
  }
  return found;
}

function toEntry(value: unknown, ids: Map<number, string> | undefined, length: number): Entry {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { kind: 'invalid', id: 'null' };
  const members = value as Record<string, unknown>;
  const id = member(members, 'id');
  if (id !== null && typeof id === 'object') return { kind: 'invalid', id: 'null' };
  const idText =
    id === undefined
      ? undefined
      : ((typeof id === 'number' ? ids?.get(id) : undefined) ?? JSON.stringify(id));
  const method = member(members, 'method');
  if (typeof method !== 'string' || method === '') {
    const isResponse =
      idText !== undefined &&
      (member(members, 'result') !== undefined || member(members, 'error') !== undefined);
    return isResponse ? { kind: 'response' } : { kind: 'invalid', id: idText ?? 'null' };
  }
  return {
    kind: 'call',
    id: idText,
    method,
    params: member(members, 'params') ?? undefined,
    length,
  };
}

/** Go matches member names in upper and lower case. */
function member(members: Record<string, unknown>, name: string): unknown {
  if (name in members) return members[name];
  for (const key of Object.keys(members)) if (key.toLowerCase() === name) return members[key];
  return undefined;
}

export function resultReply(id: string, result: Json | RawJson | undefined): string {
  const text = result instanceof RawJson ? result.text : JSON.stringify(result ?? null);
  return `${resultHead(id)}${text}}`;
}

/** As `resultReply`, as UTF-8, in an array of its own. */
export function encodedReply(id: string, { pieces }: RawJson): Uint8Array<ArrayBuffer> {
  const parts = [resultHead(id), ...pieces, '}'].map((each) =>
    typeof each === 'string' ? encoder.encode(each) : each,
  );
  return joinedBytes(parts);
}

function resultHead(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`;
}

export function errorReply(id: string, code: number, message: string, data?: unknown): string {
  const error = data === undefined ? { code, message } : { code, message, data };
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`;
}

export function notification(
  namespace: string,
  subscription: string,
  result: Json | RawJson,
): string {
  const text = result instanceof RawJson ? result.text : JSON.stringify(result);
  return `{"jsonrpc":"2.0","method":"${namespace}_subscription","params":{"subscription":"${subscription}","result":${text}}}`;
}

export const PARSE_ERROR: string = errorReply('null', RPC.parse, 'parse error');
export const EMPTY_BATCH: string = errorReply('null', RPC.invalidRequest, 'empty batch');
export const TOO_INTRICATE: string = errorReply(
  'null',
  RPC.invalidRequest,
  `request too intricate: at most ${VALUES_MAX} values`,
);

export function invalidRequest(id: string): string {
  return errorReply(id, RPC.invalidRequest, 'invalid request');
}
