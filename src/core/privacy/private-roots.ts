/** Roots of private states as managers and nodes exchange them in JSON. */
import { fromBase64, toBase64 } from '../base/base64.ts';
import type { PrivateRoot } from './manager-port.ts';

const ROOT_BYTES = 32;
/** Most in one message. */
const ROOTS_MAX = 1_024;

export function rootsToJson(roots: readonly PrivateRoot[]) {
  return roots.map(({ number, root }) => ({ number, root: toBase64(root) }));
}

/** Untrusted input: invalid entries are skipped. */
export function rootsIn({ roots }: Readonly<Record<string, unknown>>): PrivateRoot[] {
  if (!Array.isArray(roots)) return [];
  return roots.slice(0, ROOTS_MAX).flatMap((item: unknown) => {
    const { number, root } = (item ?? {}) as { number?: unknown; root?: unknown };
    if (!Number.isSafeInteger(number) || typeof root !== 'string') return [];
    try {
      const bytes = fromBase64(root);
      return bytes.length === ROOT_BYTES ? [{ number: number as number, root: bytes }] : [];
    } catch {
      return [];
    }
  });
}
