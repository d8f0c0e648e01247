/**
 * Roots of private states and digests of their transactions, in the JSON that managers and nodes
 * exchange: `roots` for a node with one private state, `states` for a node with several, each with
 * the keys whose payloads it consists of.
 */
import { fromBase64, toBase64 } from '../base/base64.ts';

import type { PayloadDigest, PrivateRoot, StateRoots } from './manager-port.ts';
import { PAYLOAD_HASH_BYTES } from './marker.ts';

const ROOT_BYTES = 32;
const KEY_BYTES = 32;
/** Maximum numbers in one message. */
const ROOTS_MAX = 1_024;
const STATES_MAX = 256;
const KEYS_MAX = 256;
const DIGESTS_MAX = 1_024;

type Fields = Readonly<Record<string, unknown>>;

export function statesToJson(states: readonly StateRoots[]) {
  const only = states.find(({ keys }) => keys === undefined);
  const several = states.flatMap(({ psi, keys, ...rest }) =>
    keys ? [{ psi, keys: keys.map(toBase64), ...contentToJson(rest) }] : [],
  );
  return {
    ...contentToJson(only ?? { roots: [] }),
    ...(several.length > 0 ? { states: several } : {}),
  };
}

function contentToJson({ roots, digests }: Pick<StateRoots, 'roots' | 'digests'>) {
  return {
    roots: roots.map(({ number, root }) => ({ number, root: toBase64(root) })),
    ...(digests ? { digests: digests.map(digestToJson) } : {}),
  };
}

/** Without `parties` for peers, which must not learn the other parties. */
export function digestToJson(told: Omit<PayloadDigest, 'parties'> & Partial<PayloadDigest>) {
  const { number, payload, digest, parties } = told;
  const named = parties ? { parties: parties.map(toBase64) } : {};
  return { number, payload: toBase64(payload), digest: toBase64(digest), ...named };
}

/** Parses untrusted input: invalid entries are skipped. */
export function statesIn(fields: Fields): StateRoots[] {
  const found: StateRoots[] = [];
  const only = contentIn(fields);
  if (only.roots.length > 0 || only.digests) found.push(only);
  for (const item of listOf(fields.states, STATES_MAX)) {
    const own = fieldsOf(item);
    const { psi, keys: named } = own;
    const keys = listOf(named, KEYS_MAX).map((key) => bytesOf(key, KEY_BYTES));
    if (keys.length === 0 || !keys.every((key) => key !== undefined)) continue;
    found.push({ ...(typeof psi === 'string' ? { psi } : {}), keys, ...contentIn(own) });
  }
  return found;
}

function contentIn({ roots, digests }: Fields): Pick<StateRoots, 'roots' | 'digests'> {
  const found = digestsIn(digests);
  return { roots: rootsIn(roots), ...(found.length > 0 ? { digests: found } : {}) };
}

/** Parses untrusted input: invalid entries are skipped. */
export function digestsIn(digests: unknown): PayloadDigest[] {
  return listOf(digests, DIGESTS_MAX).flatMap((item) => {
    const { number, payload, digest, parties } = fieldsOf(item);
    const hash = bytesOf(payload, PAYLOAD_HASH_BYTES);
    const bytes = bytesOf(digest, ROOT_BYTES);
    const keys = listOf(parties, KEYS_MAX).map((key) => bytesOf(key, KEY_BYTES));
    if (!hash || !bytes || !Number.isSafeInteger(number)) return [];
    if (!keys.every((key) => key !== undefined)) return [];
    return [{ number: number as number, payload: hash, digest: bytes, parties: keys }];
  });
}

function rootsIn(roots: unknown): PrivateRoot[] {
  return listOf(roots, ROOTS_MAX).flatMap((item) => {
    const { number, root } = fieldsOf(item);
    const bytes = bytesOf(root, ROOT_BYTES);
    return bytes && Number.isSafeInteger(number) ? [{ number: number as number, root: bytes }] : [];
  });
}

function listOf(value: unknown, countMax: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, countMax) : [];
}

function fieldsOf(value: unknown): Fields {
  return (value ?? {}) as Fields;
}

function bytesOf(text: unknown, length: number): Uint8Array | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const bytes = fromBase64(text);
    return bytes.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}
