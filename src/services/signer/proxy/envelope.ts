/** Parses the JSON-RPC envelope: anything that another parser could read differently is refused. */
import { elementsOf, membersOf } from './json-text.ts';

export interface Call {
  /** The id as JSON text; `null` if the request has none. */
  readonly id: string;
  readonly isNotification: boolean;
  readonly method: string;
  readonly params: unknown;
  /** The text that is sent to the node, if the call is forwarded. */
  readonly text: string;
}

export type Entry =
  | { readonly kind: 'call'; readonly call: Call }
  /** Not an object, no method, or an invalid id. */
  | { readonly kind: 'malformed' }
  /** Parsers could read it differently. */
  | { readonly kind: 'ambiguous'; readonly id: string; readonly why: string };

export type Envelope =
  | { readonly kind: 'single'; readonly entry: Entry }
  | { readonly kind: 'batch'; readonly entries: readonly Entry[] }
  | { readonly kind: 'tooMany' };

export const BATCH_CALLS_MAX = 10_000;
const NAMES = ['jsonrpc', 'method', 'params', 'id'] as const;
type Name = (typeof NAMES)[number];

export function parseEnvelope(text: string): Envelope {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'single', entry: { kind: 'malformed' } };
  }
  if (!Array.isArray(value)) return { kind: 'single', entry: entryOf(value, text, 0, text.length) };
  if (value.length > BATCH_CALLS_MAX) return { kind: 'tooMany' };
  const spans = elementsOf(text);
  return {
    kind: 'batch',
    entries: spans.map(({ start, end }, index) => entryOf(value[index], text, start, end)),
  };
}

function entryOf(value: unknown, text: string, start: number, end: number): Entry {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { kind: 'malformed' };
  const { id, method, params, jsonrpc } = value as Record<Name, unknown>;
  if (id !== null && (typeof id === 'object' || typeof id === 'boolean'))
    return { kind: 'malformed' };
  const parts: Partial<Record<Name, string>> = {};
  let isPlain = true;
  for (const member of membersOf(text, start)) {
    const name = member.name.toLowerCase() as Name;
    if (!NAMES.includes(name)) {
      isPlain = false;
      continue;
    }
    // Go matches names case-insensitively and uses the last duplicate; other parsers may use the
    // first.
    if (member.name !== name || parts[name] !== undefined)
      return {
        kind: 'ambiguous',
        id: 'null',
        why: `"${name}" is given twice or in another spelling`,
      };
    parts[name] = text.slice(member.start, member.end);
  }
  if (typeof method !== 'string' || jsonrpc === undefined || jsonrpc === null)
    return { kind: 'malformed' };
  const call = { id: parts.id ?? 'null', isNotification: id === undefined, method, params };
  return {
    kind: 'call',
    call: { ...call, text: isPlain ? text.slice(start, end) : rewritten(parts) },
  };
}

/** The call without members that JSON-RPC does not define. */
function rewritten(parts: Partial<Record<Name, string>>): string {
  const members = NAMES.filter((name) => parts[name] !== undefined);
  return `{${members.map((name) => `"${name}":${parts[name]}`).join(',')}}`;
}
