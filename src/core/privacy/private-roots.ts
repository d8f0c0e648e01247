/**
 * Roots of private states as managers and nodes exchange them in JSON: `roots` for a node with one
 * private state, `states` for a node with several, each with the keys whose payloads make it up.
 */
import { fromBase64, toBase64 } from '../base/base64.ts';
import type { PrivateRoot, StateRoots } from './manager-port.ts';

const ROOT_BYTES = 32;
const KEY_BYTES = 32;
/** Most in one message. */
const ROOTS_MAX = 1_024;
const STATES_MAX = 256;
const KEYS_MAX = 256;

type Fields = Readonly<Record<string, unknown>>;

export function statesToJson(states: readonly StateRoots[]) {
  const only = states.find(({ keys }) => keys === undefined);
  const several = states.flatMap(({ psi, keys, roots }) =>
    keys ? [{ psi, keys: keys.map(toBase64), roots: rootsToJson(roots) }] : [],
  );
  return {
    roots: rootsToJson(only?.roots ?? []),
    ...(several.length > 0 ? { states: several } : {}),
  };
}

function rootsToJson(roots: readonly PrivateRoot[]) {
  return roots.map(({ number, root }) => ({ number, root: toBase64(root) }));
}

/** Untrusted input: invalid entries are skipped. */
export function statesIn({ roots, states }: Fields): StateRoots[] {
  const found: StateRoots[] = [];
  const only = rootsIn(roots);
  if (only.length > 0) found.push({ roots: only });
  for (const item of listOf(states, STATES_MAX)) {
    const { psi, keys: named, roots: own } = fieldsOf(item);
    const keys = listOf(named, KEYS_MAX).map((key) => bytesOf(key, KEY_BYTES));
    if (keys.length === 0 || !keys.every((key) => key !== undefined)) continue;
    found.push({ ...(typeof psi === 'string' ? { psi } : {}), keys, roots: rootsIn(own) });
  }
  return found;
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
